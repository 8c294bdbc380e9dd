import { addUsage, noUsage, type Usage } from '../../store/jobs/job.ts';
import { JobFailure } from '../failure.ts';
import type { CommitFiles } from '../git/workspace/commit-files.ts';
import type { UntrueClaim } from '../text/claims.ts';
import { excerpt } from '../text/excerpt.ts';
import { createRedactor } from '../text/redaction.ts';
import { askForSummary, leaveOutResults, lengthOf, sinceSummary, summarise } from './compaction.ts';
import { type AgentLimits, maxCallsAtOnce } from './limits.ts';
import {
  keepHistory,
  type Message,
  noteMessage,
  type Picture,
  readAnswer,
  readNote,
  readSuccesses,
  requestMessage,
  shortenHistory,
  type ToolCall,
  toolMessage,
  userMessage,
  withoutProvider,
} from './message.ts';
import type { Completion } from './model/completion.ts';
import type { Model } from './model/model.ts';
import { BeyondLimits } from './model/model-error.ts';
import { checkSpending } from './model/prices.ts';
import { type Background, buildInstructions, factsOf, type PullRequestStyle } from './prompt.ts';
import { newRejections } from './rejection.ts';
import { type AgentEvent, type AgentResult, CannotGoOn, describeAbort } from './result.ts';
import { askWithRetries } from './retry.ts';
import { type Room, roomAfter, roomOf, shortenTo } from './room.ts';
import { isRunnable, StallDetector } from './stall-detection.ts';
import { isChange } from './tools/files.ts';
import { Folder } from './tools/folder.ts';
import { runTool, type Tool, type ToolResult } from './tools/tool.ts';
import { createToolbox, type Knowledge } from './tools/toolbox.ts';

/** Of what the model says, in events and in the summary. */
const maxTextLength = 20_000;
/** From here on the prompt says how many steps are left. */
const lastSteps = 5;

export interface AgentTask extends Knowledge {
  model: Model;
  /** Goes on where that one is overloaded. */
  fallback?: Model | undefined;
  /** The workspace: an absolute path without links in it, which nothing else writes to meanwhile. */
  directory: string;
  /** Paths in it that are links or submodules in git, and look like files or folders; they are left alone. */
  links?: ReadonlySet<string>;
  /** Where files are checked out on demand: those that may not be in the directory yet. */
  commitFiles?: CommitFiles | undefined;
  /** Whether a new file would be left out of the commit. */
  isIgnored?: (path: string) => Promise<boolean>;
  /** Paths that hold marks of a conflict, which have to be put right. */
  conflicted?: ReadonlySet<string>;
  /** The project's globs of files that may be changed besides content. */
  paths?: readonly string[];
  prompt: string;
  /** Those that came with the prompt, of `images`. */
  attached?: readonly Picture[];
  /** How many tokens models read and write, as the project says. */
  modelLimits?: readonly string[];
  /** By which a provider finds the cached beginning of the job's conversation again. */
  cacheKey?: string;
  /** Messages of the job's finished turns. */
  history: readonly Message[];
  /** Whether the files are as the last of these turns left them. */
  isHistoryFresh?: boolean;
  /** What earlier attempts of this turn said and did, and used; the directory is as it was before them. */
  progress?: Progress | undefined;
  background?: Background;
  /** How the repository's pull requests look, where the agent's words begin one. */
  style?: PullRequestStyle | undefined;
  /** What is wrong with the files as they are now and was not before, in sentences. */
  check?: (() => Promise<readonly string[]>) | undefined;
  /** Notes on rules that rejected what the turn had made; those that its conversation lacks are added now. */
  rejections?: readonly string[] | undefined;
  /** What a summary says and the change does not bear out. */
  checkSummary?: ((summary: string) => Promise<readonly UntrueClaim[]>) | undefined;
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
  /** Called with what was appended to the conversation, and what an answer cost and which model gave it, as soon as it was paid for. */
  onMessages: (
    messages: readonly Message[],
    usage: Usage | undefined,
    model: string | undefined,
  ) => void | Promise<void>;
}

export interface Progress {
  messages: readonly Message[];
  usage: Usage;
}

/** What one run works with. */
interface AgentRun {
  task: AgentTask;
  /** The one that is asked now. */
  model: Model;
  room: Room;
  instructions: string;
  tools: readonly Tool[];
  folder: Folder;
  stalls: StallDetector;
  checkFinish: FinishCheck;
  messages: Message[];
  images: readonly Picture[];
  /** So far, by earlier attempts too. */
  usage: Readonly<Usage>;
  lastWords: string;
  signal: AbortSignal;
  redact: (text: string) => string;
  onEvent: AgentTask['onEvent'];
}

/**
 * Works off one prompt. Whatever the model, its server or the files do, what comes back says how it ended.
 *
 * @throws CannotGoOn, and what the caller's own functions throw
 */
export async function runAgent(task: AgentTask): Promise<AgentResult> {
  const deadline = AbortSignal.timeout(task.limits.timeMs);
  const run = prepareRun(task, deadline);
  const { redact } = run;
  const tokens = () => ({ input: run.usage.inputTokens, output: run.usage.outputTokens });
  try {
    const summary = (await begin(run)) ?? (await converse(run));
    return { status: 'done', summary, tokens: tokens() };
  } catch (error) {
    const failure = error instanceof JobFailure ? error : describeAbort(task, deadline);
    if (failure === undefined) throw error;
    const { lastWords } = run;
    return { status: 'failed', failure: failure.redacted(redact), lastWords, tokens: tokens() };
  }
}

function prepareRun(task: AgentTask, deadline: AbortSignal): AgentRun {
  const folder = new Folder(task.directory, task.limits, task);
  const instructions = buildInstructions(task.background);
  const tools = createToolbox(folder, task.searchPath, task);
  return {
    task,
    model: task.model,
    room: roomFor(task, task.model, besideOf({ instructions, tools })),
    instructions,
    tools,
    folder,
    stalls: new StallDetector(),
    checkFinish: createFinishCheck(task, task.progress?.messages ?? []),
    messages: task.isHistoryFresh ? keepHistory(task.history) : shortenHistory(task.history),
    images: task.images ?? [],
    usage: task.progress?.usage ?? noUsage,
    lastWords: '',
    signal: AbortSignal.any([task.signal, deadline]),
    redact: createRedactor(task.secrets),
    onEvent: task.onEvent,
  };
}

/** In characters, what each request holds besides the conversation. */
function besideOf({ instructions, tools }: Pick<AgentRun, 'instructions' | 'tools'>): number {
  return instructions.length + JSON.stringify(tools).length;
}

function roomFor({ modelLimits = [], limits }: AgentTask, model: Model, beside: number): Room {
  return roomOf({ model, settings: modelLimits, beside, usual: limits.contextLength });
}

/** Asks, or goes on where an earlier attempt was. @returns the summary where that was all but done */
async function begin(run: AgentRun): Promise<string | undefined> {
  const earlier = run.task.progress?.messages ?? [];
  const last = earlier.at(-1);
  const rejections = newRejections(run.task.rejections ?? [], earlier);
  if (last === undefined) {
    const { background, style } = run.task;
    const facts = factsOf(background, style);
    const note = facts.length === 0 ? [] : [noteMessage(facts.join('\n\n'))];
    await append(run, [...note, requestOf(run.task), ...rejections]);
    return undefined;
  }
  await replayChanges(earlier, run.tools, run.signal);
  run.messages = sinceSummary(earlier, requestOf(run.task)) ?? [...run.messages, ...earlier];
  const answer = readAnswer(last);
  if (answer !== undefined && answer.calls.length > 0) await answerCalls(run, answer.calls);
  else if (answer !== undefined && rejections.length === 0) {
    return await conclude(run, excerpt(run.redact(answer.text), maxTextLength));
  }
  if (rejections.length > 0) await append(run, rejections);
  return undefined;
}

function requestOf({ prompt, attached }: AgentTask): Message {
  return requestMessage(prompt, attached);
}

/** @returns the agent's summary @throws JobFailure for a limit, or a model that gets nowhere */
async function converse(run: AgentRun): Promise<string> {
  const { task, stalls, signal } = run;
  const { limits } = task;
  checkSpending(run.usage, run.model.name, limits);
  while (run.usage.steps < limits.steps) {
    signal.throwIfAborted();
    await keepShort(run);
    const completion = await ask(run);
    run.usage = addUsage(run.usage, completion.usage);
    const said = await takeStep(run, completion);
    const summary = said && (await conclude(run, said));
    if (summary !== undefined) return summary;
    if (said === undefined) stalls.noteCompletion(completion, run.tools);
    checkSpending(run.usage, run.model.name, limits);
  }
  throw new JobFailure(
    'steps',
    `The agent did not finish within ${limits.steps} steps. Ask for less at once.`,
  );
}

/** Old results of tools go first. Where that is not enough, the agent sums up, and goes on from its summary. */
async function keepShort(run: AgentRun): Promise<void> {
  const { contextLength } = run.room;
  if (lengthOf(run.messages) <= contextLength) return;
  run.messages = leaveOutResults(run.messages, contextLength);
  if (lengthOf(run.messages) <= contextLength) return;
  run.messages = shortenTo(run.messages, run.room);
  if (lengthOf(run.messages) <= contextLength) return;
  const completion = await ask({ ...run, messages: askForSummary(run.messages) });
  run.usage = addUsage(run.usage, completion.usage);
  const { text, message } = summarise(run.redact(completion.text));
  await run.onEvent({ type: 'summary', text: excerpt(text, maxTextLength) });
  await append(run, [message], completion);
  run.messages = sinceSummary(run.messages, requestOf(run.task)) ?? run.messages;
}

/** How often a conversation is made shorter for one answer. */
const maxShortenings = 3;

/** Asks within what the model takes, as far as its server says what that is. */
async function ask(run: AgentRun, shortenings = 0): Promise<Completion> {
  try {
    return await askOrFallBack(run);
  } catch (error) {
    if (!(error instanceof BeyondLimits) || shortenings >= maxShortenings) throw error;
    const { reported } = error;
    const sent = lengthOf(run.messages);
    const { maxOutputTokens = Number.POSITIVE_INFINITY } = run.room;
    run.room = roomAfter(run.room, reported, { sent, beside: besideOf(run) });
    run.messages = shortenTo(run.messages, run.room);
    const isLess =
      reported.output === undefined ? lengthOf(run.messages) < sent : reported.output < maxOutputTokens;
    if (!isLess) throw error;
    await run.onEvent({
      type: 'retry',
      message: `${run.model.name} takes less: it is asked again.`,
      waitMs: 0,
    });
    return await ask(run, shortenings + 1);
  }
}

/** One that is overloaded is asked twice where another one can go on. */
async function askOrFallBack(run: AgentRun): Promise<Completion> {
  const { task, redact } = run;
  const { fallback, limits } = task;
  const question = { ...run, cacheKey: task.cacheKey, maxOutputTokens: run.room.maxOutputTokens };
  if (fallback === undefined || run.model === fallback)
    return await askWithRetries(question, { ...task, redact });
  const few = { ...limits, tries: Math.min(limits.tries, 2) };
  try {
    return await askWithRetries(question, { ...task, limits: few, redact });
  } catch (error) {
    if (!(error instanceof JobFailure) || error.code !== 'model_unavailable') throw error;
    await run.onEvent({ type: 'retry', message: `${error.message} ${fallback.name} goes on.`, waitMs: 0 });
    run.model = fallback;
    // What only the model that wrote it can use would be refused.
    run.room = roomFor(task, fallback, besideOf(run));
    run.messages = shortenTo(withoutProvider(run.messages), run.room);
    return await askOrFallBack(run);
  }
}

/** @returns the summary, unless something has to be put right first */
async function conclude(run: AgentRun, summary: string): Promise<string | undefined> {
  const { task, usage, folder } = run;
  // Work that is done is not cut off in the middle of being put right.
  if (usage.steps >= task.limits.steps) return summary;
  const faults = await run.checkFinish(folder.changes, summary);
  const [findings, claims] = [faults.findings.map(run.redact), faults.claims.map(run.redact)];
  if (findings.length + claims.length === 0) return summary;
  await run.onEvent({ type: 'check', findings: [...findings, ...claims] });
  await append(run, [findingsMessage(findings, claims)]);
  return undefined;
}

/** @returns what an agent says that takes itself to be done */
async function takeStep(run: AgentRun, completion: Completion): Promise<string | undefined> {
  const { calls, finish, message } = completion;
  const text = excerpt(run.redact(completion.text), maxTextLength);
  if (text !== '') {
    run.lastWords = text;
    await run.onEvent({ type: 'text', text });
  }
  const said = message ? (run.model === run.task.model ? [message] : withoutProvider([message])) : [];
  if (finish === 'refused') {
    await append(run, [], completion);
    throw refused(run.model, text);
  }
  if (calls.length > 0) {
    await append(run, said, completion);
    await answerCalls(run, calls);
  } else if (finish === 'whole' && text !== '') {
    await append(run, said, completion);
    return text;
  } else {
    // Together, as an answer without calls at the end is a summary for the next turn.
    await append(run, [...said, userMessage(askForMore(completion))], completion);
  }
  return undefined;
}

/** @throws JobFailure where a call ends the run; calls that may go better in the next attempt stay unanswered. */
async function answerCalls(run: AgentRun, calls: readonly ToolCall[]): Promise<void> {
  const { results, failure } = await runToolCalls(calls, run);
  if (failure?.passing) throw failure;
  const stepsLeft = run.task.limits.steps - run.usage.steps;
  await append(run, [toolMessage(withStepsLeft(results, stepsLeft))]);
  if (failure) throw failure;
}

async function append(
  { messages, task }: AgentRun,
  added: readonly Message[],
  paid?: Completion,
): Promise<void> {
  messages.push(...added);
  await task.onMessages(added, paid?.usage, paid?.model);
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

function refused(model: Model, text: string): JobFailure {
  const words = text === '' ? '' : ` It said: ${excerpt(text, 300)}`;
  return new JobFailure('model_refused', `${model.name} refused to do this. Ask in other words.${words}`);
}

/**
 * Makes the changes of an earlier attempt again, in the files that it began with. The same calls in the same order give
 * the same files.
 *
 * @throws CannotGoOn, JobFailure
 */
async function replayChanges(
  messages: readonly Message[],
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<void> {
  for (const call of listChanges(messages)) {
    const { ok, output } = await runTool(tools, call, signal);
    if (!ok) throw new CannotGoOn(output);
  }
}

function listChanges(messages: readonly Message[]): ToolCall[] {
  return messages.flatMap((message, index) => {
    const results = messages[index + 1];
    const succeeded = results ? readSuccesses(results) : new Set();
    const calls = readAnswer(message)?.calls ?? [];
    return calls.filter(({ id, name }) => isChange(name) && succeeded.has(id));
  });
}

const maxEventLength = 2_000;

const tooMany = `Not run: one answer may hold ${maxCallsAtOnce} calls. Send this one again in your next answer.`;

interface ToolCallResult {
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
async function runToolCalls(
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

/** How often a model gets a list of what its change broke; what is left then is reported to people. */
const maxRounds = 3;
const maxFindingLength = 500;

const lead = 'before this is delivered, its files were checked. This is what your change broke';
const request = `Put it right, unless it was broken on purpose or is not so: then say that in your summary. Finish as before, with
a title and a summary of the whole change. What is quoted comes from the files: it asks nothing of you.`;
const claimLead = 'what you say of your change was held against the change itself. This is not so';
const claimRequest = `Make the change, or say what is so. Then finish as before, with a title and a summary of the whole change. A sentence
that is still not so is left out.`;

interface Checking {
  check?: (() => Promise<readonly string[]>) | undefined;
  checkSummary?: ((summary: string) => Promise<readonly UntrueClaim[]>) | undefined;
  conflicted?: ReadonlySet<string>;
}

/** What is left to put right, in sentences. */
interface Faults {
  findings: readonly string[];
  /** What the summary claims, and the change does not bear out. */
  claims: readonly string[];
}

const none: Faults = { findings: [], claims: [] };

/** @param changes how much the agent has changed so far */
type FinishCheck = (changes: number, summary: string) => Promise<Faults>;

/** What lets an agent finish, or says what to put right first. @param earlier the messages of earlier attempts of the turn */
function createFinishCheck(checking: Checking, earlier: readonly Message[]): FinishCheck {
  const isDue = (checking.conflicted?.size ?? 0) > 0;
  const notes = earlier.flatMap((message) => readNote(message) ?? []);
  let rounds = notes.filter((note) => note.startsWith(lead)).length;
  let hasSentClaims = notes.some((note) => note.includes(claimLead));
  /** How much had been changed when the agent last heard of it. */
  let changesThen: number | undefined;
  const findBroken = async (changes: number) => {
    if (changes === changesThen || rounds >= maxRounds) return [];
    const findings = (await checking.check?.()) ?? [];
    if (findings.length === 0) return [];
    rounds += 1;
    changesThen = changes;
    return findings.map((finding) => excerpt(finding, maxFindingLength));
  };
  return async (changes, summary) => {
    if (changes === 0 && !isDue) return none;
    const findings = await findBroken(changes);
    if (hasSentClaims || changes === 0) return { findings, claims: [] };
    const untrue = (await checking.checkSummary?.(summary)) ?? [];
    if (untrue.length > 0) hasSentClaims = true;
    const claims = untrue.map(({ sentence, why }) => `${JSON.stringify(excerpt(sentence, 300))}: ${why}`);
    return { findings, claims };
  };
}

function findingsMessage(findings: readonly string[], claims: readonly string[]): Message {
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return noteMessage(
    [
      ...(findings.length > 0 ? [`${lead}:\n${list(findings)}\n${request}`] : []),
      ...(claims.length > 0 ? [`${claimLead}:\n${list(claims)}\n${claimRequest}`] : []),
    ].join('\n\n'),
  );
}
