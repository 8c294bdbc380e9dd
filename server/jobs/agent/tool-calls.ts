import { JobFailure } from '../failure.ts';
import { excerpt } from '../text/excerpt.ts';
import type { ToolCall } from './message.ts';
import type { AgentEvent } from './result.ts';
import { isRunnable, type StallDetector } from './stall-detection.ts';
import type { Folder } from './tools/folder.ts';
import { runTool, type Tool, type ToolResult } from './tools/tool.ts';

const maxCallsPerCompletion = 30;
const maxEventLength = 2_000;

export interface ToolCallResult {
  call: ToolCall;
  result: ToolResult;
}

interface Run {
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
  run: Run,
): Promise<{ results: ToolCallResult[]; failure: JobFailure | undefined }> {
  const results: ToolCallResult[] = [];
  let failure: JobFailure | undefined;
  for (const call of calls) {
    const skip = failure !== undefined || run.signal.aborted || results.length >= maxCallsPerCompletion;
    const done = skip
      ? { result: { ok: false, output: 'Not run: too much at once.' } }
      : await runCall(call, run);
    results.push({ call, result: done.result });
    failure ??= done.failure;
  }
  return { results, failure };
}

async function runCall(
  call: ToolCall,
  run: Run,
): Promise<{ result: ToolResult; failure?: JobFailure | undefined }> {
  const { result, failure } = await act(call, run);
  await run.onEvent({
    type: 'tool',
    tool: excerpt(run.redact(call.name), maxEventLength),
    input: excerpt(run.redact(JSON.stringify(call.input) ?? ''), maxEventLength),
    ok: result.ok,
    output: excerpt(result.output, maxEventLength),
  });
  if (failure !== undefined || !isRunnable(call, run.tools)) return { result, failure };
  return { result, failure: run.stalls.noteResult(call, result, run.folder) };
}

async function act(call: ToolCall, run: Run): Promise<{ result: ToolResult; failure?: JobFailure }> {
  if (call.fault !== undefined) return { result: { ok: false, output: call.fault } };
  try {
    const { ok, output } = await runTool(run.tools, call, run.signal);
    return { result: { ok, output: run.redact(output) } };
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    return { result: { ok: false, output: error.message }, failure: error };
  }
}
