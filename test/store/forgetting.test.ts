import { postgres, sqlite } from '../support/store/engines.ts';
import { testForgetting } from './contracts/counts/forgetting.contract.ts';

testForgetting(sqlite);
testForgetting(postgres);
