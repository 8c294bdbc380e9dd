import { JobFailure } from '../failure.ts';
import type { CommitFiles } from '../git/commit-files.ts';
import { excerpt } from '../text/excerpt.ts';
import { createRedactor } from '../text/redaction.ts';
import type { Answer } from './completion.ts';
import type { AgentLimits } from './limits.ts';
import { type Message, shortenHistory, toolMessage, userMessage } from './message.ts';
import type { Model } from './model.ts';
import { buildInstructions } from './prompt.ts';
import { type AgentEvent, type AgentResult, describeAbort, type Tokens } from './result.ts';
import { askPatiently } from './retry.ts';
import { Progress } from './stall-detection.ts';
import { type CallResult, runCalls } from './tool-calls.ts';
import type { ProjectAnalytics } from './tools/analytics.ts';
import { Folder } from './tools/folder.ts';
import { createToolbox } from './tools/toolbox.ts';

/** Of what the model says, in events and in the summary. */
const maxTextLength = 20_000;
/** From here on the agent is told how many steps are left. */
const lastSteps = 5;

export interface AgentTask {
  model: Model;
  /** The worktree: an absolute path without links in it, which nothing else writes to meanwhile. */
  directory: string;
  /** Paths in it that are links or submodules in git, and look like files or folders; they are left alone. */
  links?: ReadonlySet<string>;
  /** Where files are checked out on demand: those that may not be in the directory yet. */
  commitFiles?: CommitFiles | undefined;
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

/** Works off one prompt. Whatever the model, its server or the files do, the answer is a result with a named reason. */
export async function runAgent(task: AgentTask): Promise<AgentResult> {
  const { limits, model } = task;
  const clean = createRedactor(task.secrets);
  const folder = new Folder(task.directory, limits, task);
  const tools = createToolbox(folder, task.searchPath, task.analytics);
  const instructions = buildInstructions(task.guidance);
  const progress = new Progress();
  const deadline = AbortSignal.timeout(limits.timeMs);
  const signal = AbortSignal.any([task.signal, deadline]);
  const messages: Message[] = shortenHistory(task.history);
  const tokens: Tokens = { input: 0, output: 0 };
  const run = { tools, folder, progress, signal, clean, onEvent: task.onEvent };

  const append = async (...added: Message[]) => {
    messages.push(...added);
    await task.onMessages(added);
  };

  try {
    await append(userMessage(task.prompt));
    for (let step = 1; step <= limits.steps; step += 1) {
      signal.throwIfAborted();
      const answer = await askPatiently({ model, instructions, messages, tools, signal }, { ...task, clean });
      tokens.input += answer.tokens.input;
      tokens.output += answer.tokens.output;
      const text = excerpt(clean(answer.text), maxTextLength);
      if (text !== '') await task.onEvent({ type: 'text', text });
      if (answer.finish === 'refused') throw refused(model, text);

      const said = answer.message ? [answer.message] : [];
      if (answer.calls.length > 0) {
        const { results, failure } = await runCalls(answer.calls, run);
        await append(...said, toolMessage(withStepsLeft(results, limits.steps - step)));
        if (failure) throw failure;
      } else if (answer.finish === 'whole' && text !== '') {
        await append(...said);
        return { status: 'done', summary: text, tokens };
      } else {
        await append(...said, userMessage(askForMore(answer)));
      }
      progress.noteAnswer(answer, tools);
      checkTokens(tokens, limits);
    }
    throw new JobFailure(
      'steps',
      `The agent was not done after ${limits.steps} steps. Ask for less at once.`,
    );
  } catch (error) {
    const failure = error instanceof JobFailure ? error : describeAbort(task, deadline);
    // What the caller's own functions threw.
    if (failure === undefined) throw error;
    return { status: 'failed', failure: failure.redacted(clean), tokens };
  }
}

function askForMore(answer: Answer): string {
  return answer.finish === 'cut'
    ? 'Your answer was cut off because it was too long. Go on in smaller pieces.'
    : 'Your answer was empty. Call a tool, or finish with a title and a summary in plain text.';
}

function withStepsLeft(results: readonly CallResult[], left: number): CallResult[] {
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
