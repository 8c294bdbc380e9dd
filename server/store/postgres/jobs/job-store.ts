import type { JobNews, JobStore } from '../../jobs/job-store.ts';
import type { Database } from '../database.ts';
import type { Meter } from '../meter.ts';
import type { StoreClock } from '../store-clock.ts';
import { CommentReader } from './heard-comments.ts';
import { ImageReader } from './images.ts';
import { parseNotice } from './job-notices.ts';
import { JobReader } from './job-reader.ts';
import { JobWriter } from './job-writer.ts';
import { LeaseWriter } from './lease-writer.ts';
import { RevertWriter } from './reverts.ts';
import { TranscriptReader } from './transcript.ts';
import { TurnWriter } from './turn-writer.ts';

/** Puts the parts together. News are those of all nodes. */
export function createJobStore(database: Database, meter: Meter, clock: StoreClock): JobStore {
  return {
    ...meter.watch('jobs', new JobReader(database)),
    ...meter.watch('jobs', new TranscriptReader(database)),
    ...meter.watch('jobs', new CommentReader(database)),
    ...meter.watch('jobs', new ImageReader(database)),
    ...meter.watch('jobs', new JobWriter(database, clock)),
    ...meter.watch('jobs', new RevertWriter(database, clock)),
    ...meter.watch('jobs', new TurnWriter(database, clock)),
    ...meter.watch('jobs', new LeaseWriter(database, clock)),
    onNews: (listener) => database.onNotice((notice) => hear(notice, listener)),
  };
}

function hear(notice: string | null, listener: (news: JobNews | null) => void): void {
  const news = notice === null ? null : parseNotice(notice);
  if (news !== undefined) listener(news);
}
