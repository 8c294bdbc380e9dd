import { postgres, sqlite } from '../support/store/engines.ts';
import { testForgetting } from './forgetting.contract.ts';

testForgetting(sqlite);
testForgetting(postgres);
