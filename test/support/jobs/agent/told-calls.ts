/** A call of a tool, as a scripted model makes it. */
export interface ToldCall {
  tool: string;
  input: Record<string, unknown>;
}

export const write = (path: string, content: string): ToldCall => ({
  tool: 'write',
  input: { path, content },
});
export const remove = (path: string): ToldCall => ({ tool: 'delete', input: { path } });
export const move = (from: string, to: string): ToldCall => ({ tool: 'move', input: { from, to } });
export const edit = (path: string, old: string, next: string): ToldCall => ({
  tool: 'edit',
  input: { path, old, new: next },
});
