import { JobFailure } from '../failure.ts';
import { excerpt } from '../text/excerpt.ts';
import { maxCallsAtOnce } from './limits.ts';
import type { ToolCall } from './message.ts';
import type { AgentEvent } from './result.ts';
import { isRunnable, type StallDetector } from './stall-detection.ts';
import type { Folder } from './tools/folder.ts';
import { runTool, type Tool, type ToolResult } from './tools/tool.ts';

const maxEventLength = 2_000;

const tooMany = `Not run: one answer may hold ${maxCallsAtOnce} calls. Send this one again in your next answer.`;

export interface ToolCallResult {
  call: ToolCall;
  result: ToolResult;
}

/** What the calls of one answer work with. */
interface CallContext {
  tools: readonly Tool[];
  folder: Pick<Folder, 'changes' | 'state'>;
  stalls: StallDetector;
  signal: AbortSignal;
  redact: (text: string) => string;
  onEvent: (event: AgentEvent) => void | Promise<void>;
}

/**
 * Runs the tool calls of one answer in their order. Every call gets a result, also where the run ends in the middle:
 * a conversation with an unanswered call cannot be continued.
 */
export async function runToolCalls(
  calls: readonly ToolCall[],
  context: CallContext,
): Promise<{ results: ToolCallResult[]; failure: JobFailure | undefined }> {
  const results: ToolCallResult[] = [];
  let failure: JobFailure | undefined;
  for (const call of calls) {
    const isOver = failure !== undefined || context.signal.aborted;
    const done = isOver
      ? { result: { ok: false, output: 'Not run, as the work was stopped.' } }
      : await runCall(results.length < maxCallsAtOnce ? call : { ...call, fault: tooMany }, context);
    results.push({ call, result: done.result });
    failure ??= done.failure;
  }
  return { results, failure };
}

async function runCall(
  call: ToolCall,
  context: CallContext,
): Promise<{ result: ToolResult; failure?: JobFailure | undefined }> {
  const { result, failure } = await act(call, context);
  await context.onEvent({
    type: 'tool',
    tool: excerpt(context.redact(call.name), maxEventLength),
    input: excerpt(context.redact(JSON.stringify(call.input) ?? ''), maxEventLength),
    ok: result.ok,
    output: excerpt(result.output, maxEventLength),
  });
  // Sent before the model could know: no sign that it gets nowhere.
  if (call.fault === tooMany) return { result, failure };
  if (failure !== undefined || !isRunnable(call, context.tools)) return { result, failure };
  return { result, failure: context.stalls.noteResult(call, result, context.folder) };
}

async function act(
  call: ToolCall,
  context: CallContext,
): Promise<{ result: ToolResult; failure?: JobFailure }> {
  if (call.fault !== undefined) return { result: { ok: false, output: call.fault } };
  try {
    const { ok, output } = await runTool(context.tools, call, context.signal);
    return { result: { ok, output: context.redact(output) } };
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    return { result: { ok: false, output: error.message }, failure: error };
  }
}
