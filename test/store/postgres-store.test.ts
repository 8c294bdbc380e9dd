import { postgres } from '../support/store/engines.ts';
import { testAdminStore } from './admin.contract.ts';
import { testCalendarStore } from './calendar.contract.ts';
import { testDirectory } from './directory.contract.ts';
import { testImportStore } from './import.contract.ts';
import { testJobStore } from './jobs.contract.ts';
import { testReceiptStore } from './receipts.contract.ts';
import { testStore } from './store.contract.ts';
import { testVisitorStore } from './visitors.contract.ts';

testDirectory(postgres);
testAdminStore(postgres);
testJobStore(postgres);
testStore(postgres);
testVisitorStore(postgres);
testCalendarStore(postgres);
testImportStore(postgres);
testReceiptStore(postgres);
