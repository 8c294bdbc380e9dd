import { postgres } from '../support/store/engines.ts';
import { testAdminStore } from './admin.contract.ts';
import { testDirectory } from './directory.contract.ts';
import { testJobStore } from './jobs.contract.ts';

testDirectory(postgres);
testAdminStore(postgres);
testJobStore(postgres);
