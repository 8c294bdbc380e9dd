/** Of each table of counts; never changed. */
export const shardCount = 64;

/** Where the counts of a project's bucket are. */
export function shardOf(project: number, bucket: number): number {
  return (project + bucket) & (shardCount - 1);
}

/** Of a visitor. */
export function bucketOf({ buckets }: { buckets: number }, visitor: bigint): number {
  return buckets === 1 ? 0 : Number(BigInt.asUintN(6, visitor)) & (buckets - 1);
}

/** Where everything of a visitor is. */
export function shardOfVisitor(row: { project: number; buckets: number }, visitor: bigint): number {
  return shardOf(row.project, bucketOf(row, visitor));
}

/** Where the counts of a project are. */
export function shardsOf(project: number, buckets: number): number[] {
  return Array.from({ length: buckets }, (_, bucket) => shardOf(project, bucket));
}
