import type { ComponentChildren } from 'preact';
import type { EventReply } from '../../shared/jobs/job.ts';
import { formatClock, formatTime } from '../formats/day.ts';
import { formatSeconds } from '../formats/number.ts';
import { readable, safeLink, shorten } from '../formats/text.ts';
import { addressOf } from '../router/address.ts';
import { Link } from '../router/router.tsx';
import { t as texts } from '../texts/automations.ts';
import { t } from '../texts/jobs.ts';
import { fill, lookUp, mix } from '../texts/part.ts';

interface TranscriptProps {
  events: EventReply[];
  isActive: boolean;
  projectId: string;
  /** Of the job, in the API. */
  path: string;
}

type JobRef = Pick<TranscriptProps, 'projectId' | 'path'>;

/** What happened, the oldest first. Screen readers announce new lines. */
export function Transcript({ events, isActive, ...job }: TranscriptProps) {
  return (
    <section aria-label={t.transcript}>
      <ol class="transcript" aria-live="polite">
        {events.map((event) => (
          <Line key={event.number} event={event} job={job} />
        ))}
      </ol>
      {isActive && (
        <p class="working" role="status">
          <span class="pulse pulse-on" aria-hidden="true" /> {t.working}
        </p>
      )}
    </section>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? readable(value) : '');

function Line({ event, job }: { event: EventReply; job: JobRef }) {
  const { type, at, data } = event;
  return (
    <li class={`line line-${kindOf(event)}`}>
      <time class="line-time" dateTime={at} title={formatTime(at)}>
        {formatClock(at)}
      </time>
      <div class="line-body">{content(type, data, job)}</div>
    </li>
  );
}

function kindOf({ type, data }: EventReply): string {
  return type === 'tool' && data.ok === false ? 'retry' : type;
}

function content(type: string, data: EventReply['data'], { projectId, path }: JobRef): ComponentChildren {
  switch (type) {
    case 'message':
      return <Request data={data} path={path} />;
    case 'text':
      return <Message by={t.agent} text={textOf(data.text)} />;
    case 'summary':
      return <Message by={t.agentToItself} text={textOf(data.text)} />;
    case 'tool':
      return <ToolCall data={data} />;
    case 'output':
      return <pre>{textOf(data.text)}</pre>;
    case 'phase':
      return <Phase data={data} />;
    case 'check':
      return <Check data={data} />;
    case 'retry':
      return <Retry data={data} />;
    case 'failed':
      return <Failed data={data} projectId={projectId} />;
    default:
      return <Outcome type={type} data={data} />;
  }
}

function Request({ data, path }: { data: EventReply['data']; path: string }) {
  return (
    <>
      <Message by={senderOf(data)} text={textOf(data.text)} />
      {Array.isArray(data.images) && <SentImages images={data.images} path={path} />}
    </>
  );
}

/** Who a message is by: the user, who commented at the pull request, or what started the job by itself. */
function senderOf({ startedBy, by }: EventReply['data']): string {
  if (by === 'checks') return t.failedChecks;
  if (by !== undefined) return textOf(by);
  if (typeof startedBy !== 'object' || startedBy === null) return t.you;
  const { kind, name } = startedBy as Record<string, unknown>;
  return fill(texts.sender[kind === 'trigger' ? kind : 'schedule'], { name: textOf(name) });
}

function Message({ by, text }: { by: string; text: string }) {
  return (
    <>
      <span class="line-by">{by}</span>
      <p class="prose" dir="auto">
        {text}
      </p>
    </>
  );
}

function ToolCall({ data }: { data: EventReply['data'] }) {
  const input = textOf(data.input);
  return (
    <details>
      <summary>
        <span class="line-by">{textOf(data.tool)}</span>{' '}
        <bdi class="mono">{shorten(describeInput(input), 120)}</bdi>
        {data.ok === false && <span class="tag">{t.toolFailed}</span>}
      </summary>
      <pre>{input}</pre>
      <pre>{textOf(data.output)}</pre>
    </details>
  );
}

/** The path or pattern that a call is about; its input is JSON. */
function describeInput(input: string): string {
  try {
    const { path, query, pattern } = JSON.parse(input) as Record<string, unknown>;
    return textOf(path ?? query ?? pattern) || input;
  } catch {
    return input;
  }
}

function Phase({ data }: { data: EventReply['data'] }) {
  const files = Array.isArray(data.files) ? data.files.map(textOf) : [];
  // Where a job begins nothing is on its branch yet.
  const names = data.phase === 'pinned' ? [data.base] : [data.branch, data.commit, data.pullRequest];
  const details = names.map(textOf).filter((text) => text !== '');
  return (
    <>
      <span class="line-by">{lookUp(t.phases, textOf(data.phase)) ?? textOf(data.phase)}</span>
      {details.map((text) => (
        <bdi key={text} class="mono">
          {text}
        </bdi>
      ))}
      {typeof data.diff === 'string' ? <Diff text={data.diff} /> : <Files files={files} />}
    </>
  );
}

/** Where an older version wrote the transcript, which has no diff. */
function Files({ files }: { files: string[] }) {
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file}>
          <bdi class="mono">{file}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** What the change broke, and the agent was asked to fix. */
function Check({ data }: { data: EventReply['data'] }) {
  const findings = Array.isArray(data.findings) ? data.findings.map(textOf) : [];
  return (
    <>
      <span class="line-by">{t.checks}</span>
      <ul class="files">
        {findings.map((finding) => (
          <li key={finding}>
            <bdi>{finding}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

function Retry({ data }: { data: EventReply['data'] }) {
  const seconds = typeof data.waitMs === 'number' ? Math.round(data.waitMs / 1000) : 0;
  return (
    <p dir="auto">
      {textOf(data.message)} {seconds > 0 && fill(t.nextAttemptIn, { seconds: formatSeconds(seconds) })}
    </p>
  );
}

/** Reasons that a change of the project's settings can remove. */
const settingsReasons = new Set([
  'auth',
  'bad_forge',
  'bad_ref',
  'bad_repository',
  'command_settings',
  'empty_repository',
  'forbidden',
  'missing_base',
  'model_settings',
  'not_found',
]);

function Failed({ data, projectId }: { data: EventReply['data']; projectId: string }) {
  return (
    <>
      <span class="line-by">{t.failed}</span>
      <p class="prose" dir="auto">
        {textOf(data.message)}
      </p>
      <p class="hint">
        {settingsReasons.has(textOf(data.reason))
          ? mix(t.thenSendAFollowUpSuchAsTry, {
              link: <Link href={`/p/${projectId}/settings/jobs`}>{t.checkTheSettings}</Link>,
            })
          : t.sendAFollowUpToContinueFrom}
      </p>
    </>
  );
}

function Outcome({ type, data }: { type: string; data: EventReply['data'] }) {
  const text = textOf(data.message) || textOf(data.text);
  return (
    <>
      <span class="line-by">{lookUp(t.outcomes, type) ?? type}</span>
      <p class="prose" dir="auto">
        <Linked text={text} />
      </p>
    </>
  );
}

/** A text whose http and https addresses are links. */
function Linked({ text }: { text: string }) {
  return (
    <>
      {text.split(/(https?:\/\/\S+?)(?=[.,:;]?(?:\s|$))/).map((part, index) => {
        const href = index % 2 === 1 ? safeLink(part) : undefined;
        return href === undefined ? (
          part
        ) : (
          <a key={part} href={href} target="_blank" rel="noreferrer">
            {part}
          </a>
        );
      })}
    </>
  );
}

interface SentImage {
  number: number;
  name: string;
}

/** What came with a prompt, small; each leads to itself as it was sent. */
export function SentImages({ images, path }: { images: readonly SentImage[]; path: string }) {
  return (
    <ul class="sent-images">
      {images.map(({ number, name }) => {
        const address = addressOf(`${path}/image/${Number(number)}`);
        return (
          <li key={number}>
            <a href={address} target="_blank" rel="noreferrer">
              <img src={address} alt="" loading="lazy" />
              <bdi>{readable(String(name))}</bdi>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

interface ChangedFile {
  path: string;
  additions: number;
  deletions: number;
  lines: string[];
}

/** More lines than this are looked at file by file. */
const maxOpenLines = 120;

/** The change of a turn, file by file. @param text a unified diff of git, perhaps cut */
export function Diff({ text }: { text: string }) {
  const files = parseDiff(text);
  const isShort = files.reduce((sum, { lines }) => sum + lines.length, 0) <= maxOpenLines;
  return (
    <div class="diff">
      {files.map((file) => (
        <File key={file.path} file={file} isOpen={isShort} />
      ))}
    </div>
  );
}

function File({
  file: { path, additions, deletions, lines },
  isOpen,
}: {
  file: ChangedFile;
  isOpen: boolean;
}) {
  return (
    <details open={isOpen}>
      <summary>
        <bdi class="mono">{readable(path)}</bdi>{' '}
        <span class="hint">{mix(t.addedRemoved, { additions, deletions })}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard too */}
      <pre tabIndex={0}>
        {lines.map((line, index) => (
          <span key={index} class={`diff-line ${kinds[line[0] ?? ''] ?? ''}`}>
            {`${readable(line)}\n`}
          </span>
        ))}
      </pre>
    </details>
  );
}

const kinds: Record<string, string> = { '+': 'diff-added', '-': 'diff-removed', '@': 'diff-place' };

function parseDiff(text: string): ChangedFile[] {
  return text
    .split(/^diff --git /m)
    .slice(1)
    .map(parseFile);
}

/** Before the first hunk stand names and modes; `/dev/null` stands for no file. */
function parseFile(text: string): ChangedFile {
  const all = text.trimEnd().split('\n');
  const first = all.findIndex((line) => line.startsWith('@@'));
  const head = first === -1 ? all : all.slice(0, first);
  const lines =
    first === -1 ? head.filter((line) => /^(A file|rename|old mode|new mode)/.test(line)) : all.slice(first);
  const named = head.map((line) => /^(?:\+\+\+|---) "?[ab]\/(.*?)"?$/.exec(line)?.[1]);
  const path = named.findLast((name) => name !== undefined) ?? head[0]?.split(' b/').at(-1) ?? '';
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return { path, additions: count('+'), deletions: count('-'), lines };
}
