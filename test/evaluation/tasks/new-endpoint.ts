import { edit, write } from '../../support/jobs/agent/tool-calls.ts';
import { changed } from '../site-files.ts';
import type { Check, Outcome, Task } from '../task.ts';

const operation = `  /parcels/{parcelId}/extend:
    post:
      summary: Extend the stay of a parcel
      requestBody:
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Extension' }
      responses:
        '200':
          description: The parcel
        '409':
          description: It was collected (\`already_collected\`)
`;
const schema = `    Extension:
      type: object
      required: [days]
      properties:
        days: { type: integer, minimum: 1, maximum: 7, description: By how many days }
        notify: { type: boolean, default: true, description: Whether the person who expects it is told }
`;

function newPages({ before, after }: Outcome): string[] {
  return [...after.keys()].filter((path) => path.startsWith('api/') && !before.has(path));
}

const page: Check = {
  name: 'page',
  find: (outcome) =>
    newPages(outcome).length === 1 ? [] : [`There are ${newPages(outcome).length} new pages in api/.`],
};

/** What the specification says of it. */
const facts: Check = {
  name: 'schema',
  find: (outcome) => {
    const text = newPages(outcome)
      .map((path) => outcome.after.get(path))
      .join('\n');
    const facts = ['POST', '/parcels/{parcelId}/extend', 'days', 'notify', 'already_collected', '409'];
    const lacking = facts.filter((fact) => !text.includes(fact));
    if (!/\b1\b.{0,20}\b7\b/s.test(text)) lacking.push('1 to 7');
    if (!/true/.test(text)) lacking.push('true');
    return lacking.map((fact) => `The page lacks ${fact}.`);
  },
};

/** As its neighbours have it. */
const form: Check = {
  name: 'form',
  find: (outcome) =>
    newPages(outcome)
      .filter((path) => !/^---\ntitle: .+\ndescription: .+\n---\n/.test(outcome.after.get(path) ?? ''))
      .map((path) => `${path} has not the front matter of its neighbours.`),
};

const text = `---
title: Extend a stay
description: Gives a parcel more days.
---

\`POST /parcels/{parcelId}/extend\`

<ParamField body="days" type="integer" required>
  By how many days, from 1 to 7.
</ParamField>

<ParamField body="notify" type="boolean" default="true">
  Whether the person who expects it is told.
</ParamField>

Answers 200 with the [parcel](/concepts/parcels), or 409 with the code \`already_collected\`.
`;

export const newEndpoint: Task = {
  name: 'a new endpoint',
  site: 'mintlify',
  commits: [
    {
      message: 'Add an endpoint that extends the stay of a parcel',
      files: changed(
        'mintlify',
        'openapi.yaml',
        ['components:\n', `${operation}components:\n`],
        ['    NewParcel:\n', `${schema}    NewParcel:\n`],
      ),
    },
  ],
  prompt:
    'The newest commit added an endpoint to openapi.yaml. Write its page, in the form of the other pages of the API.',
  allowed: ['docs.json', 'api/*.mdx', 'guides/errors.mdx', 'concepts/parcels.mdx'],
  checks: [page, facts, form],
  good: {
    calls: [
      write('api/extend-parcel.mdx', text),
      edit('docs.json', '"api/get-parcel"', '"api/get-parcel", "api/extend-parcel"'),
    ],
    says: 'Document how a stay is extended\n\nWritten from openapi.yaml, and listed beside its neighbours.',
  },
  bad: [
    {
      calls: [
        write('api/extend-parcel.mdx', '---\ntitle: Extend\n---\n\n`POST /parcels/{parcelId}/extend`\n'),
        write('api/extension.mdx', '---\ntitle: Extension\n---\n\nIts `days`.\n'),
      ],
      says: 'Document how a stay is extended\n\nWritten from openapi.yaml.',
      fails: ['navigation', 'page', 'schema', 'form'],
    },
  ],
};
