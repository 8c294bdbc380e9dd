import type { Engine } from '../../support/store/engines.ts';
import { testClaiming } from '../jobs/claiming.contract.ts';
import { testJobComments } from '../jobs/comments.contract.ts';
import { testJobImages } from '../jobs/images.contract.ts';
import { testJobNews } from '../jobs/news.contract.ts';
import { testJobRequests } from '../jobs/requests.contract.ts';
import { testJobStatus } from '../jobs/status.contract.ts';
import { testTurns } from '../jobs/turns.contract.ts';

/** What every engine promises about jobs; run once for each by a test file of its own. */
export function testJobStore(engine: Engine): void {
  testJobRequests(engine);
  testClaiming(engine);
  testTurns(engine);
  testJobStatus(engine);
  testJobNews(engine);
  testJobComments(engine);
  testJobImages(engine);
}
