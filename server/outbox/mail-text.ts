import { escapeHtml } from '../text/escape-html.ts';
import { oneLine } from '../text/one-line.ts';
import type { Letter, LetterTable } from './letter.ts';

/** Why somebody gets a mail, and how it ends. @param server its address */
export function hintOf({ project }: Letter, receiver: string, server: string): string {
  return `You get this because whoever runs Headcount at ${server} set up ${receiver} as a receiver of reports and alerts of the project "${oneLine(project.name)}". To get no more of it, ask them to take your address out, which is done under Settings, Reports and alerts.`;
}

export function toText({ title, paragraphs, tables, url }: Letter, hint: string): string {
  const parts = [title, ...paragraphs, ...tables.map(toTextTable), url, `-- \n${hint}`];
  return `${parts.join('\n\n')}\n`;
}

function toTextTable({ title, rows }: LetterTable): string {
  return [title, ...rows.map(({ name, value }) => `  ${oneLine(name)}: ${oneLine(value)}`)].join('\n');
}

export function toHtml({ title, paragraphs, tables, url }: Letter, hint: string): string {
  const texts = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="font: 15px/1.5 sans-serif; max-width: 40em">
<h1 style="font-size: 19px">${escapeHtml(title)}</h1>
${texts.join('\n')}
${tables.map(toHtmlTable).join('\n')}
<p><a href="${escapeHtml(url)}">Open the dashboard</a></p>
<hr><p style="font-size: 13px">${escapeHtml(hint)}</p>
</body></html>
`;
}

function toHtmlTable({ title, rows }: LetterTable): string {
  const lines = rows.map(
    ({ name, value }) =>
      `<tr><td style="padding-right: 2em">${escapeHtml(oneLine(name))}</td><td>${escapeHtml(oneLine(value))}</td></tr>`,
  );
  return `<h2 style="font-size: 16px">${escapeHtml(title)}</h2>\n<table>${lines.join('\n')}</table>`;
}
