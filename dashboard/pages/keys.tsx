import { useState } from 'preact/hooks';
import type { KeyReply, KeysReply, NewKeyReply, ProjectReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { Code, CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ChoiceField, faultOf, submit, TextField } from '../components/field.tsx';
import { Failure, Loaded, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatDay, formatTime } from '../formats/day.ts';

const scopes = {
  ingest: 'Send hits',
  admin: 'Everything',
};

const scopeWords: Record<string, string> = {
  ingest: 'For your own server, edge or log shipper: it reads nothing.',
  admin: 'Reads reports, starts jobs and sends hits. Keep it where only you are.',
};

export function Keys({ project }: { project: ProjectReply }) {
  const path = `/v1/admin/projects/${project.id}/keys`;
  const resource = useResource<KeysReply>(path);
  const [made, setMade] = useState<NewKeyReply>();
  const [revoking, setRevoking] = useState<KeyReply>();
  return (
    <Page title="API keys" class="page-text">
      <section class="card">
        <h2>Project id</h2>
        <p class="hint">It names the project in every address of the API, and is no secret.</p>
        <p class="copy-line">
          <code>{project.id}</code>
          <CopyButton text={project.id} what="the project id" />
        </p>
      </section>
      <section class="card">
        <h2>Keys</h2>
        <Loaded resource={resource} lines={4}>
          {({ keys }) => <KeyList keys={keys} onRevoke={setRevoking} />}
        </Loaded>
        <NewKey
          path={path}
          onMade={(key) => {
            setMade(key);
            resource.reload();
          }}
        />
      </section>
      <Curl project={project} />
      {made && <MadeKey made={made} onClose={() => setMade(undefined)} />}
      {revoking && (
        <Revoke
          path={`${path}/${revoking.id}`}
          revoked={revoking}
          onClose={(isDone) => {
            setRevoking(undefined);
            if (isDone) resource.reload();
          }}
        />
      )}
    </Page>
  );
}

function KeyList({ keys, onRevoke }: { keys: KeyReply[]; onRevoke: (key: KeyReply) => void }) {
  if (keys.length === 0) return <p class="empty">There is no key yet.</p>;
  return (
    <ul class="rows">
      {keys.map((key) => (
        <li key={key.id}>
          <div class="rows-main">
            <bdi class="strong">{key.name}</bdi>
            <span class="tag">{key.scope === 'admin' ? 'everything' : 'sends hits'}</span>
            {key.allProjects && <span class="tag">all projects</span>}
            <p class="hint">
              made <time dateTime={key.createdAt}>{formatTime(key.createdAt)}</time>,{' '}
              {key.lastUsedOn === null ? 'never used' : `last used on ${formatDay(key.lastUsedOn)}`}
            </p>
          </div>
          {key.allProjects ? (
            <span class="hint">made and revoked at the command line</span>
          ) : (
            <button
              type="button"
              class="small"
              onClick={() => onRevoke(key)}
              aria-label={`Revoke ${key.name}`}
            >
              Revoke
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function NewKey({ path, onMade }: { path: string; onMade: (key: NewKeyReply) => void }) {
  const { api } = useApi();
  const [name, setName] = useState('');
  const [scope, setScope] = useState('ingest');
  const make = useAction(async () => {
    onMade(await api.send<NewKeyReply>('POST', path, { name, scope }));
    setName('');
  });
  return (
    <form class="form inset" onSubmit={submit(() => make.run())}>
      <h3>Make a key</h3>
      <div class="side-by-side">
        <TextField
          label="Name"
          name="name"
          value={name}
          onText={setName}
          placeholder="web server"
          maxLength={100}
          required
          fault={faultOf(make.failure, 'name')}
        />
        <ChoiceField
          label="It may"
          value={scope}
          options={scopes}
          onText={setScope}
          hint={scopeWords[scope]}
        />
      </div>
      <Failure failure={make.failure} />
      <div class="actions">
        <button type="submit" class="primary" disabled={make.isBusy}>
          Make the key
        </button>
      </div>
    </form>
  );
}

function MadeKey({ made, onClose }: { made: NewKeyReply; onClose: () => void }) {
  return (
    <Dialog title="Your new key" onClose={onClose}>
      <p>Copy it now: it is shown this once, and only its hash is kept.</p>
      <Code text={made.secret} what="the key" />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}

interface RevokeProps {
  path: string;
  revoked: KeyReply;
  onClose: (isDone: boolean) => void;
}

function Revoke({ path, revoked, onClose }: RevokeProps) {
  const { api } = useApi();
  const revoke = useAction(async () => {
    await api.send('DELETE', path);
    onClose(true);
  });
  return (
    <Dialog title="Revoke this key?" onClose={() => onClose(false)}>
      <p>
        Whatever uses <bdi class="strong">{revoked.name}</bdi> is refused from this moment on. This cannot be
        undone.
      </p>
      <Failure failure={revoke.failure} />
      <div class="actions">
        <button type="button" onClick={() => onClose(false)}>
          Keep it
        </button>
        <button type="button" class="danger" onClick={() => revoke.run()} disabled={revoke.isBusy}>
          Revoke it
        </button>
      </div>
    </Dialog>
  );
}

function Curl({ project: { id } }: { project: ProjectReply }) {
  const server = location.origin;
  const key = '-H "Authorization: Bearer $HEADCOUNT_KEY"';
  const lines = {
    'Visitors of each page': `curl ${key} \\\n  "${server}/v1/analytics/${id}/visitors?limit=10"`,
    'AI clients': `curl ${key} \\\n  "${server}/v1/analytics/${id}/ai-clients"`,
    'A view that your server saw': `curl -X POST ${server}/v1/hits ${key} \\\n  -H "Content-Type: application/json" \\\n  -d '{"project": "${id}", "hits": [{"url": "https://www.example.com/docs", "ip": "192.0.2.1", "userAgent": "Mozilla/5.0 …"}]}'`,
    'A job': `curl -X POST ${server}/v2/agent/${id}/job ${key} \\\n  -H "Content-Type: application/json" \\\n  -d '{"prompt": "Look which pages AI clients read most, and add an example to each."}'`,
  };
  return (
    <section class="card">
      <h2>Try it</h2>
      <Notice>
        <p>
          With a key in the environment: <code>export HEADCOUNT_KEY=hc_…</code>
        </p>
      </Notice>
      {Object.entries(lines).map(([name, text]) => (
        <div key={name}>
          <h3>{name}</h3>
          <Code text={text} what={`the command: ${name}`} />
        </div>
      ))}
    </section>
  );
}
