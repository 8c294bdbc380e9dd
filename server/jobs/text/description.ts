import { fitTitle, type TitleFormat } from '../../pattern/title-format.ts';
import type { Chapter, ChapterFile } from '../../store/jobs/job.ts';
import { type DiffTrace, isLeft } from './change-trace.ts';
import { cutUntrue } from './claims.ts';
import { cut } from './cut.ts';
import { firstLine, inCode, sanitiseLine, sanitiseMarkdown } from './markdown.ts';
import { plainMessage, type Sanitising } from './sanitising.ts';

const maxTitleLength = 70;
const maxSummaryLength = 8_000;
const maxPromptLength = 4_000;
const maxCommitBodyLength = 3_000;
const maxFiles = 100;
const maxFindings = 20;
const maxFindingLength = 500;
const lineWidth = 72;

export interface FinishedTurn extends Chapter {
  files: readonly ChapterFile[];
  /** The base branch, where the turn brought it into its own. */
  merges?: string | undefined;
  /** Whether git took back what was merged, without the agent. */
  isRevert?: boolean;
  /** Of the job, for turns that do not say who made them: `provider/model`, or the name of the outside agent. */
  agent: string;
  jobId: string;
  /** 0 for the prompt that created the job. */
  turn: number;
  /** What titles have to match; undefined: anything. */
  titleFormat?: TitleFormat | undefined;
  /** Who certifies where the change comes from, in the last line of the commit; undefined: nobody. */
  signedOffBy?: string | undefined;
  sanitising: Sanitising;
}

/** Of a branch with what all its turns did. */
interface FinishedBranch extends FinishedTurn {
  /** The turns before, oldest first. */
  earlier?: readonly Chapter[];
  /** What the branch changes now; undefined: all that its turns did is taken to be there. */
  branchTrace?: DiffTrace | undefined;
}

/** The whole commit message, ending in the trailers that name job and turn. */
export function describeCommit(finished: FinishedTurn): string {
  const { jobId, turn, signedOffBy, sanitising } = finished;
  const body = cut(plainMessage(bodyOf(finished, sanitising), sanitising), maxCommitBodyLength);
  const title = titleOf(finished, (text) => fitLine(text, (line) => plainMessage(line, sanitising)));
  const signedOff = signedOffBy === undefined ? [] : [`Signed-off-by: ${signedOffBy}`];
  const trailers = [`Headcount-Job: ${jobId}`, `Headcount-Turn: ${turn}`, ...signedOff].join('\n');
  const merged = describeMerge(finished, (name) => plainMessage(name, sanitising));
  return `${[title, ...(body === '' ? [] : [wrapLines(body)]), ...merged, trailers].join('\n\n')}\n`;
}

export function describePullRequest(finished: FinishedBranch): { title: string; body: string } {
  const { earlier = [], files, jobId, titleFormat, sanitising } = finished;
  const all = [...earlier, finished];
  const isAlone = earlier.length === 0;
  const left = shownChapters(all, finished.branchTrace);
  const shown = isAlone ? left : left.map((chapter) => withoutTakenBack(chapter, finished));
  const [first = finished, ...others] = shown;
  const each = maxSummaryLength / (others.length + 1);
  const sections = [
    ...(earlier.length > 0 && files.length === 0 ? [nothingLeft] : []),
    sanitiseMarkdown(bodyOf(first, sanitising), sanitising, each),
    ...others.map((chapter) => describeChapter(chapter, sanitising, each)),
    ...describeLeftOut(shown),
    ...warnOfSize(finished),
    `### Files\n\n${listFiles(files, sanitising)}`,
    ...describeFindings(findingsLeft(shown), sanitising),
    ...describeRepeats(shown, sanitising),
    `### Request\n\n${quotePrompts(all, sanitising)}`,
    `---\nMade by ${describeMakers(all, finished)} in job ${inCode(jobId, sanitising)}. Read it before you merge it.`,
  ];
  const write = (text: string) => writeTitle(text, sanitising);
  const titles = all.map(({ pullTitle = '' }) => write(pullTitle)).filter((title) => title !== '');
  const title = titles.findLast((each) => titleFormat?.fits(each) ?? true);
  return {
    title: title ?? titleOf({ ...finished, ...first }, write),
    body: sections.filter((section) => section !== '').join('\n\n'),
  };
}

const nothingLeft =
  '**Nothing is left of this.** What the branch had changed was taken back: close it, or ask for something else.';

/** Those of which something is left in the branch; a turn that ended too soon is shown only until another one continues it. */
function shownChapters(all: readonly Chapter[], branch: DiffTrace | undefined): Chapter[] {
  const left = all.filter(({ trace }) => isLeft(trace, branch));
  const last = left.findLastIndex(({ unfinished }) => unfinished === undefined);
  const shown = left.filter(({ unfinished }, index) => unfinished === undefined || index > last);
  return shown.length > 0 ? shown : all.slice(-1);
}

/** A turn's words as far as a later one has not made them untrue. */
function withoutTakenBack(chapter: Chapter, { files, earlier = [], titleFormat }: FinishedBranch): Chapter {
  if (chapter.unfinished !== undefined) return chapter;
  const paths = [...earlier, chapter].flatMap(({ trace }) => trace?.paths ?? []);
  const facts = { changes: files, paths, changesLinks: true, breaksLinks: false, canRun: true, isPart: true };
  const { text, cut } = cutUntrue(chapter.summary, facts);
  if (cut.length === 0) return chapter;
  const left = files.filter(({ path }) => chapter.trace?.paths.includes(path));
  return { ...chapter, summary: withTitle(text, left.length > 0 ? left : files, titleFormat) };
}

/** A summary whose title was left out says what is changed. */
export function withTitle(
  summary: string,
  files: readonly ChapterFile[],
  titleFormat: TitleFormat | undefined,
): string {
  if (!summary.startsWith('\n') && summary !== '') return summary;
  return `${fitTitle(plainTitle(files), titleFormat)}${summary}`;
}

function plainTitle(files: readonly ChapterFile[]): string {
  const [first, ...others] = files;
  if (first === undefined) return 'Change nothing';
  return `Change ${others.length === 0 ? first.path : `${files.length} files`}`;
}

/** What a turn left, except in files that a later one has changed: that one was checked again. */
function findingsLeft(chapters: readonly Chapter[]): string[] {
  const found = chapters.flatMap(({ findings = [] }, index) => {
    const later = new Set(chapters.slice(index + 1).flatMap(({ trace }) => trace?.paths ?? []));
    return findings.filter((finding) => ![...later].some((path) => finding.includes(path)));
  });
  return [...new Set(found)];
}

/** Who made it, as it happened. */
function describeMakers(
  chapters: readonly Chapter[],
  { agent, isRevert, sanitising }: FinishedBranch,
): string {
  const makers = chapters.map(({ madeBy }) => madeBy ?? (isRevert ? [] : [agent]));
  const names = [...new Set(makers.flat())].map((name) => inCode(name, sanitising)).join(', ');
  const byAgent = `a Headcount agent (${names})`;
  if (!makers.some(({ length }) => length === 0)) return byAgent;
  return names === '' ? 'git, for Headcount' : `git, for Headcount, and ${byAgent}`;
}

/** Says in a comment what one turn did. */
export function describeTurn(finished: FinishedTurn, commit: string): string {
  const { files, findings, sanitising } = finished;
  const sections = [
    describeChapter(finished, sanitising, maxSummaryLength),
    ...describeMerge(finished, (name) => inCode(name, sanitising)),
    listFiles(files, sanitising),
    ...describeLeftOut([finished]),
    ...describeFindings(findings, sanitising),
    ...describeRepeats([finished], sanitising),
    `---\n${signatureOf(finished)} in ${commit}.`,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function describeMerge({ merges }: FinishedTurn, write: (name: string) => string): string[] {
  return merges === undefined ? [] : [`Merges ${write(merges)}, which had changed the same files.`];
}

/** By which the comment of a turn is found again. */
export function signatureOf({ jobId, turn }: Pick<FinishedTurn, 'jobId' | 'turn'>): string {
  return `Message ${turn} of job \`${jobId}\`,`;
}

function describeChapter(chapter: Chapter, sanitising: Sanitising, maxLength: number): string {
  const title = chapter.unfinished === undefined ? writeTitle(chapter.summary, sanitising) : '';
  const body = sanitiseMarkdown(bodyOf(chapter, sanitising), sanitising, maxLength);
  return [title === '' ? '' : `**${title}**`, body].filter((part) => part !== '').join('\n\n');
}

function titleOf(
  { summary, unfinished, files, isRevert, titleFormat }: FinishedTurn,
  write: (text: string) => string,
): string {
  const title = unfinished === undefined ? write(summary) : '';
  if (title !== '') return isRevert ? fitTitle(title, titleFormat) : title;
  return fitTitle(write(plainTitle(files)), titleFormat);
}

/** The first line of a text, in one line of the length of a title. */
function fitLine(text: string, write: (line: string) => string): string {
  return cut(write(firstLine(text)).replace(/\s+/g, ' '), maxTitleLength);
}

/** Cut before it is cleaned, which may make it longer. */
function writeTitle(text: string, sanitising: Sanitising): string {
  let title = '';
  for (let max = maxTitleLength; max > 0; max -= title.length - maxTitleLength) {
    title = sanitiseLine(text, sanitising, max);
    if (title.length <= maxTitleLength) break;
  }
  return title;
}

/** What follows the title; all of it where the title had to be cut. */
function bodyOf({ summary, unfinished }: Chapter, sanitising: Sanitising): string {
  const text = summary.trim();
  if (unfinished !== undefined) return describeUnfinished(text, unfinished);
  const [title = '', ...rest] = text.split('\n');
  return sanitiseLine(title, sanitising).length > maxTitleLength ? text : rest.join('\n').trim();
}

function describeUnfinished(lastWords: string, reason: string): string {
  const note = `**Not finished.** ${reason} This is what it had changed by then, without a look over the whole: what else the request asks for is left to do. A message to the job goes on from here.`;
  return lastWords === '' ? note : `${note}\n\nThe last words of the agent:\n\n${lastWords}`;
}

/** Above this hardly anybody merges what an agent made. */
const usualSize = { files: 4, lines: 60 };

/** Of files that the requests do not name. */
function warnOfSize({ files, prompt, isRevert, earlier = [] }: FinishedBranch): string[] {
  if (isRevert) return [];
  const asked = [...earlier.map((chapter) => chapter.prompt), prompt].join('\n').toLowerCase();
  const isAsked = ({ path }: ChapterFile) =>
    asked.includes(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
  const others = files.filter((file) => !isAsked(file));
  const lines = others.reduce((sum, file) => sum + (file.lines ?? 0), 0);
  if (others.length <= usualSize.files && lines <= usualSize.lines) return [];
  return [
    `> **Larger than usual.** It changes ${count(others.length, 'file')} that the request does not name, with ${count(lines, 'line')}. See whether all of it was asked for, or ask for it in parts.`,
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function listFiles(files: readonly ChapterFile[], sanitising: Sanitising): string {
  const lines = files.slice(0, maxFiles).map(({ path, change }) => `- ${inCode(path, sanitising)} ${change}`);
  if (files.length > maxFiles) lines.push(`- and ${files.length - maxFiles} more`);
  return lines.join('\n');
}

/** They quote what stands in the repository. */
function describeFindings(findings: readonly string[] = [], sanitising: Sanitising): string[] {
  if (findings.length === 0) return [];
  const lines = findings
    .slice(0, maxFindings)
    .map((finding) => `- ${inCode(cut(finding, maxFindingLength), sanitising)}`);
  if (findings.length > maxFindings) lines.push(`- and ${findings.length - maxFindings} more`);
  const what = 'The checks of this change found this, and the agent left it:';
  return [[`### Left to put right`, '', what, '', ...lines].join('\n')];
}

/** Of other pull requests, which the prompt named. */
function describeRepeats(chapters: readonly Chapter[], sanitising: Sanitising): string[] {
  const repeats = [...new Set(chapters.flatMap(({ repeats = [] }) => repeats))];
  if (repeats.length === 0) return [];
  const lines = repeats
    .slice(0, maxFindings)
    .map((repeat) => `- ${inCode(cut(repeat, maxFindingLength), sanitising)}`);
  const what =
    'Other pull requests change the same files. The agent knew of them, and proposes this all the same:';
  return [['### Also changed elsewhere', '', what, '', ...lines].join('\n')];
}

function describeLeftOut(chapters: readonly Chapter[]): string[] {
  const number = chapters.reduce((sum, { leftOut = 0 }) => sum + leftOut, 0);
  if (number === 0) return [];
  return [
    `> **Shortened.** ${count(number, 'sentence')} of the agent ${number === 1 ? 'was' : 'were'} left out, as the change does not show what it says.`,
  ];
}

function quotePrompts(chapters: readonly Chapter[], sanitising: Sanitising): string {
  const each = maxPromptLength / chapters.length;
  const quotes = chapters.map(({ prompt }) =>
    sanitiseMarkdown(prompt, sanitising, each).replace(/^/gm, '> '),
  );
  return quotes.join('\n\nThen:\n\n');
}

function wrapLines(text: string): string {
  return text.replace(new RegExp(`(?=.{${lineWidth + 1}})(.{1,${lineWidth}})[ \\t]+`, 'g'), '$1\n');
}
