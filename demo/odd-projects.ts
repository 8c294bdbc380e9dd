import type { ProjectReply } from '../shared/accounts/admin.ts';
import type { DashboardWorld } from '../test/support/dashboard/world.ts';

/** Projects that are not as most are, by what is odd about them. */
export interface OddProjects {
  empty: string;
  oneVisit: string;
  longNames: string;
}

const person =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

const longName = 'The handbook of everything that anybody at Teapot has ever had to look up more than twice';
const longWords = [
  '/docs/guides/how-to-brew-for-a-party-of-forty-people-who-all-want-something-else/without-losing-your-temper',
  '/a-single-word-that-nobody-ever-thought-to-break-because-it-is-the-name-of-a-welsh-village-llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch',
  '/ドキュメント/急須の正しい使い方と手入れについて知っておくべきすべてのこと',
  '/dokumentation/teekannenhenkelbefestigungsschraubenschlüssel',
  '/مستندات/كيفية-تحضير-الشاي',
];
const longSources = [
  'https://newsletter-of-the-international-association-of-people-who-collect-teapots.example.museum/issue',
  'https://a.very.deep.subdomain.of.a.very.large.organisation.with.many.departments.example/',
];

/** Without a view, with one, with long names; and so many others that the list of projects is long. */
export async function addOddProjects(world: DashboardWorld, others: number): Promise<OddProjects> {
  const add = async (name: string) =>
    (
      await world.client.must<ProjectReply>('POST', '/v1/admin/projects', {
        name,
        hosts: [],
        timeZone: 'UTC',
      })
    ).id;
  const odd = { empty: await add('Empty'), oneVisit: await add('One visit'), longNames: await add(longName) };
  await visit(world, odd.oneVisit, '/', 0);
  for (const [index, path] of longWords.entries()) {
    await visit(world, odd.longNames, path, index, longSources[index % longSources.length]);
  }
  for (let number = 1; number <= others; number += 1) await add(`Site ${number}`);
  return odd;
}

async function visit(
  { url }: DashboardWorld,
  projectId: string,
  path: string,
  visitor: number,
  referrer?: string,
): Promise<void> {
  const answer = await fetch(`${url}/v1/hit`, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain',
      'user-agent': person,
      'x-forwarded-for': `81.2.69.${160 + visitor}`,
      'accept-language': 'en-GB',
    },
    body: JSON.stringify({ p: projectId, u: `https://teapot.example${path}`, r: referrer, s: 5 }),
  });
  if (answer.status !== 202 || answer.headers.has('x-headcount-dropped')) {
    throw new Error(`A visit was answered ${answer.status} ${answer.headers.get('x-headcount-dropped')}.`);
  }
}
