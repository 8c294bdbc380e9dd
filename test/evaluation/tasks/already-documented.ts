import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { changed } from '../site-files.ts';
import type { Task } from '../task.ts';

export const alreadyDocumented: Task = {
  name: 'already documented',
  site: 'docusaurus',
  commits: [
    {
      message: 'Print JSON with ferry status --json',
      files: changed(
        'docusaurus',
        'cmd/status.go',
        ['import "fmt"', 'import (\n\t"encoding/json"\n\t"fmt"\n\t"os"\n)'],
        [
          '\tfor _, release',
          '\tif args.isSet("json") {\n\t\treturn json.NewEncoder(os.Stdout).Encode(releases)\n\t}\n\tfor _, release',
        ],
      ),
    },
  ],
  prompt: 'The newest commit made an option work. See that the documentation tells of it.',
  allowed: [],
  checks: [],
  good: {
    calls: [{ tool: 'search', input: { text: '--json' } }],
    says: 'Change nothing\n\nThe reference and the changelog tell of --json already.',
  },
  bad: [
    {
      calls: [edit('docs/changelog.md', '## 1.8\n', '## 1.9\n\n- `ferry status --json` works.\n\n## 1.8\n')],
      says: 'Tell of --json\n\nAdded it to the changelog.',
      fails: ['delivery', 'paths', 'sources'],
    },
  ],
};
