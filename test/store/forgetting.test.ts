import { postgres, sqlite } from '../support/store/engines.ts';
import { testForgetting } from './contracts/forgetting.contract.ts';

testForgetting(sqlite);
testForgetting(postgres);
