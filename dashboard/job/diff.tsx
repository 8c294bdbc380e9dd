import { readable } from '../formats/text.ts';
import { t } from '../texts/jobs.ts';
import { mix } from '../texts/part.ts';

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
