import { JobFailure } from '../failure.ts';
import type { CommitFiles } from '../git/commit-files.ts';
import { excerpt } from '../text/excerpt.ts';
import { createRedactor } from '../text/redaction.ts';
import type { Completion } from './completion.ts';
import type { AgentLimits } from './limits.ts';
import { type Message, shortenHistory, toolMessage, userMessage } from './message.ts';
import type { Model } from './model.ts';
import { buildInstructions } from './prompt.ts';
import { type AgentEvent, type AgentResult, describeAbort, type Tokens } from './result.ts';
import { askWithRetries } from './retry.ts';
import { StallDetector } from './stall-detection.ts';
import { runToolCalls, type ToolCallResult } from './tool-calls.ts';
import type { ProjectAnalytics } from './tools/analytics.ts';
import { Folder } from './tools/folder.ts';
import type { Tool } from './tools/tool.ts';
import { createToolbox } from './tools/toolbox.ts';

/** Of what the model says, in events and in the summary. */
const maxTextLength = 20_000;
/** From here on the agent is told how many steps are left. */
const lastSteps = 5;

export interface AgentTask {
  model: Model;
  /** The workspace: an absolute path without links in it, which nothing else writes to meanwhile. */
  directory: string;
  /** Paths in it that are links or submodules in git, and look like files or folders; they are left alone. */
  links?: ReadonlySet<string>;
  /** Where files are checked out on demand: those that may not be in the directory yet. */
  commitFiles?: CommitFiles | undefined;
  /** The project's globs of files that may be changed besides content. */
  paths?: readonly string[];
  prompt: string;
  /** Messages of the job's finished turns. */
  history: readonly Message[];
  /** AGENTS.md of the base commit. */
  guidance?: string;
  /** Without it the agent has no analytics tools. */
  analytics?: ProjectAnalytics;
  limits: AgentLimits;
  /** The PATH on which git is found. */
  searchPath: string;
  /** Tokens of forges and keys of models: neither the model nor events and results get to see them. */
  secrets: readonly string[];
  signal: AbortSignal;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Called, and waited for, as things happen. What it throws ends the run and is thrown to the caller. */
  onEvent: (event: AgentEvent) => void | Promise<void>;
  /** Called with what was appended to the conversation, after every step and before the run ends. */
  onMessages: (messages: readonly Message[]) => void | Promise<void>;
}

/** What one run works with. */
interface Run {
  task: AgentTask;
  instructions: string;
  tools: readonly Tool[];
  folder: Folder;
  stalls: StallDetector;
  messages: Message[];
  /** Used so far. */
  tokens: Tokens;
  signal: AbortSignal;
  redact: (text: string) => string;
  onEvent: AgentTask['onEvent'];
}

/** Works off one prompt. Whatever the model, its server or the files do, what comes back says how it ended. */
export async function runAgent(task: AgentTask): Promise<AgentResult> {
  const deadline = AbortSignal.timeout(task.limits.timeMs);
  const run = prepareRun(task, deadline);
  const { tokens, redact } = run;
  try {
    return { status: 'done', summary: await converse(run), tokens };
  } catch (error) {
    const failure = error instanceof JobFailure ? error : describeAbort(task, deadline);
    // What the caller's own functions threw.
    if (failure === undefined) throw error;
    return { status: 'failed', failure: failure.redacted(redact), tokens };
  }
}

function prepareRun(task: AgentTask, deadline: AbortSignal): Run {
  const folder = new Folder(task.directory, task.limits, task);
  return {
    task,
    instructions: buildInstructions(task.guidance),
    tools: createToolbox(folder, task.searchPath, task.analytics),
    folder,
    stalls: new StallDetector(),
    messages: shortenHistory(task.history),
    tokens: { input: 0, output: 0 },
    signal: AbortSignal.any([task.signal, deadline]),
    redact: createRedactor(task.secrets),
    onEvent: task.onEvent,
  };
}

/** @returns the agent's summary @throws JobFailure for a limit, or a model that gets nowhere */
async function converse(run: Run): Promise<string> {
  const { task, stalls, tokens, signal, redact } = run;
  const { limits, model } = task;
  await append(run, userMessage(task.prompt));
  for (let step = 1; step <= limits.steps; step += 1) {
    signal.throwIfAborted();
    const completion = await askWithRetries({ ...run, model }, { ...task, redact });
    tokens.input += completion.tokens.input;
    tokens.output += completion.tokens.output;
    const summary = await takeStep(run, completion, limits.steps - step);
    if (summary !== undefined) return summary;
    stalls.noteCompletion(completion, run.tools);
    checkTokens(tokens, limits);
  }
  throw new JobFailure('steps', `The agent was not done after ${limits.steps} steps. Ask for less at once.`);
}

/** @returns the summary once the agent is done */
async function takeStep(run: Run, completion: Completion, stepsLeft: number): Promise<string | undefined> {
  const { calls, finish, message } = completion;
  const text = excerpt(run.redact(completion.text), maxTextLength);
  if (text !== '') await run.onEvent({ type: 'text', text });
  if (finish === 'refused') throw refused(run.task.model, text);

  const said = message ? [message] : [];
  if (calls.length > 0) {
    const { results, failure } = await runToolCalls(calls, run);
    await append(run, ...said, toolMessage(withStepsLeft(results, stepsLeft)));
    if (failure) throw failure;
  } else if (finish === 'whole' && text !== '') {
    await append(run, ...said);
    return text;
  } else {
    await append(run, ...said, userMessage(askForMore(completion)));
  }
  return undefined;
}

async function append({ messages, task }: Run, ...added: Message[]): Promise<void> {
  messages.push(...added);
  await task.onMessages(added);
}

function askForMore(completion: Completion): string {
  return completion.finish === 'cut'
    ? 'Your answer was cut off because it was too long. Go on in smaller pieces.'
    : 'Your answer was empty. Call a tool, or finish with a title and a summary in plain text.';
}

function withStepsLeft(results: readonly ToolCallResult[], left: number): ToolCallResult[] {
  const last = results.at(-1);
  if (last === undefined || left > lastSteps) return [...results];
  const note = `(Answers left: ${left}. Finish what you began, then sum up.)`;
  const result = { ...last.result, output: `${last.result.output}\n${note}` };
  return results.with(-1, { ...last, result });
}

function checkTokens(tokens: Tokens, limits: AgentLimits): void {
  if (tokens.input + tokens.output <= limits.tokens) return;
  throw new JobFailure(
    'tokens',
    `The agent used up its ${limits.tokens} tokens before it was done. Ask for less at once.`,
  );
}

function refused(model: Model, text: string): JobFailure {
  const words = text === '' ? '' : ` It said: ${excerpt(text, 300)}`;
  return new JobFailure('model_refused', `${model.name} refused to do this. Ask in other words.${words}`);
}
