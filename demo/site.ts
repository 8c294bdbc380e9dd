import type { ModelReply, Script } from '../test/support/jobs/model/model-server.ts';

export const slug = 'teapot/site';

/** The page that AI clients read most, among the demo's made-up visitors. */
const favourite = 'docs/api/pots.md';

/** The repository of the sample site. */
export const pages = {
  'index.md': '# Teapot\n\nSee how to [install](docs/install.md) it.\n',
  'docs/install.md': '# Install\n\nDownload the archive and unpack it.\n',
  [favourite]: '# Pots\n\n`GET /pots` lists all pots.\n',
};

export const prompt = 'Find the page that AI clients read most, and add an example to it.';

/** The scripted model's answers to the first prompt of a job, whatever it asks. */
const answers: readonly ModelReply[] = [
  { text: 'First I look at which pages are read.', calls: [{ tool: 'visitors', input: { limit: 5 } }] },
  { calls: [{ tool: 'read', input: { path: favourite } }] },
  {
    calls: [
      {
        tool: 'edit',
        input: {
          path: favourite,
          old: '`GET /pots` lists all pots.\n',
          new: '`GET /pots` lists all pots:\n\n```sh\ncurl https://teapot.example/pots\n```\n',
        },
      },
    ],
  },
  { text: 'Add an example to the page on pots\n\n/docs/api/pots is what AI clients read most.' },
];

const end = 'Change nothing more\n\nThe model of this demo is scripted, and its script has ended.';

/** Of what is said to it, people's messages count; Headcount begins its own with a bracket. */
export const scriptedModel: Script = ({ prompts, results }) => {
  const asked = prompts.filter((text) => !text.startsWith('(A note of Headcount'));
  return (asked.length === 1 ? answers[results.length] : undefined) ?? { text: end };
};
