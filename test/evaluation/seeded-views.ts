import type { ProjectClient } from '../support/headcount.ts';

/** Views of one page, or requests for one that is not there. */
export interface Views {
  path: string;
  people?: number;
  ai?: number;
  /** How requests were answered that are no views. */
  status?: number;
}

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const client =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)';

/** Reports them as the server of a site does, each from an address of its own. */
export async function seedViews(project: ProjectClient, views: readonly Views[]): Promise<void> {
  if (views.length === 0) return;
  const hits = views.flatMap(({ path, people = 0, ai = 0, status }) => {
    const hit = { url: `https://docs.example.com${path}`, ...(status !== undefined && { status }) };
    return [
      ...Array.from({ length: people }, (_, n) => ({ ...hit, ip: `198.51.100.${n + 1}`, userAgent: person })),
      ...Array.from({ length: ai }, (_, n) => ({ ...hit, ip: `192.0.2.${n + 1}`, userAgent: client })),
    ];
  });
  const response = await project.hits(hits);
  if (response.status !== 202) throw new Error(`The views were refused: ${await response.text()}`);
}
