interface Badge {
  name: string;
  /** Null: not measured, and so not on the badge; `ai` likewise. */
  human: number | null;
  ai: number | null;
  days: number;
}

const height = 20;
const padding = 8;
/** What narrow and other letters of 11 pixels take, about: the viewer's font is not known. */
const letterWidths = { narrow: 3.7, other: 7.4 };

interface Part {
  text: string;
  fill: string;
}

/** Fields beside each other: what is counted, people and AI, told apart by words and not by colour alone. */
export function drawBadge({ name, human, ai, days }: Badge): string {
  const counts = [
    { count: human, noun: human === 1 ? 'person' : 'people', fill: '#1d4ed8' },
    { count: ai, noun: 'AI', fill: '#7c2d92' },
  ].flatMap(({ count, ...rest }) => (count === null ? [] : [{ count, ...rest }]));
  const parts: Part[] = [
    { text: `visitors, ${days} days`, fill: '#374151' },
    ...counts.map(({ count, noun, fill }) => ({ text: `${short(count)} ${noun}`, fill })),
  ];
  const told = counts.map(({ count, noun }) => `${count} ${noun}`).join(', ');
  const title = escapeXml(`${name}, visitors of the last ${days} days: ${told}`);
  let x = 0;
  const drawn = parts.map((part) => {
    const width = widthOf(part);
    const svg = drawPart(part, x, width);
    x += width;
    return svg;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${height}" role="img" aria-label="${title}"><title>${title}</title><clipPath id="c"><rect width="${x}" height="${height}" rx="3"/></clipPath><g clip-path="url(#c)" font-family="system-ui,Verdana,sans-serif" font-size="11" fill="#fff">${drawn.join('')}</g></svg>\n`;
}

function drawPart({ text, fill }: Part, x: number, width: number): string {
  const field = `<rect x="${x}" width="${width}" height="${height}" fill="${fill}"/>`;
  return `${field}<text x="${x + width / 2}" y="14" text-anchor="middle">${escapeXml(text)}</text>`;
}

function widthOf({ text }: Part): number {
  const narrow = text.match(/[ijlrt1.,: ]/g)?.length ?? 0;
  const letters = narrow * letterWidths.narrow + (text.length - narrow) * letterWidths.other;
  return Math.round(letters) + 2 * padding;
}

/** 1234 is 1.2K. */
function short(count: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}

/** Also what XML does not allow at all: https://www.w3.org/TR/xml/#charsets */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
