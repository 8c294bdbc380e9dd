import { expect } from 'vitest';
import { setTestName } from './record.ts';

setTestName(() => {
  const { testPath = '', currentTestName = 'between the tests' } = expect.getState();
  return `${testPath.replace(/^.*\/test\//, 'test/')}: ${currentTestName}`;
});
