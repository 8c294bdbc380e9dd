import { expect } from 'vitest';
import { tellTests } from './record.ts';

tellTests(() => {
  const { testPath = '', currentTestName = 'between the tests' } = expect.getState();
  return `${testPath.replace(/^.*\/test\//, 'test/')}: ${currentTestName}`;
});
