import picomatch from 'picomatch';
import type { Check } from '../task.ts';

/** Nothing is changed that has nothing to do with the task. */
export const paths: Check = {
  name: 'paths',
  find: ({ task, changes }) => {
    const isAllowed = picomatch([...task.allowed]);
    const touched = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
    return touched.filter((path) => !isAllowed(path)).map((path) => `${path} was not to be changed.`);
  },
};
