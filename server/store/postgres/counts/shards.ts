/** Of each table of counts; never changed. */
const shardCount = 64;

/** Where the counts of a project are. */
export function shardsOf(project: number, buckets: number): number[] {
  return Array.from({ length: buckets }, (_, bucket) => (project + bucket) & (shardCount - 1));
}
