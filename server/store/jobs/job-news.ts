/**
 * What happened to a job: a turn waits in it (`queued`), its transcript grew (`written`), nobody works on it any more, and
 * so there may be room for another (`ended`), or the work on it shall stop (`archived`).
 */
export interface JobNews {
  kind: (typeof kinds)[number];
  jobId: string;
}

const kinds = ['queued', 'written', 'ended', 'archived'] as const;

/** What other processes are told. */
export function noticeOf(kind: JobNews['kind'], jobId: string): string {
  return `job:${kind}:${jobId}`;
}

/** Null: some notices may have been lost. Those of something else are left out. */
export function hearNews(listener: (news: JobNews | null) => void): (notice: string | null) => void {
  return (notice) => {
    const [word, named, jobId] = notice?.split(':') ?? [];
    const kind = kinds.find((one) => one === named);
    if (notice === null) listener(null);
    else if (word === 'job' && kind !== undefined && jobId !== undefined) listener({ kind, jobId });
  };
}
