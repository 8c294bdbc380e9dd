/** A call of a tool, as a scripted model makes it. */
export interface ToolCall {
  tool: string;
  input: Record<string, unknown>;
}

export const write = (path: string, content: string): ToolCall => ({
  tool: 'write',
  input: { path, content },
});
export const remove = (path: string): ToolCall => ({ tool: 'delete', input: { path } });
export const move = (from: string, to: string): ToolCall => ({ tool: 'move', input: { from, to } });
export const edit = (path: string, old: string, next: string): ToolCall => ({
  tool: 'edit',
  input: { path, old, new: next },
});
