import { useState } from 'preact/hooks';
import type { KeyReply, KeysReply, NewKeyReply, ProjectReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Code, CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import { Form, useForm } from '../components/form.tsx';
import { Loaded, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatDay, formatTime } from '../formats/day.ts';

const scopes = {
  ingest: 'Send page views',
  admin: 'Full access',
};

const scopeHints: Record<string, string> = {
  ingest: 'For your web server, edge worker or log shipper. It cannot read anything.',
  admin: 'Reads reports, starts jobs and sends page views. Keep it secret.',
};

export function Keys({ project }: { project: ProjectReply }) {
  return (
    <Page title="API keys" class="page-text">
      <section class="card">
        <h2>Project ID</h2>
        <p class="hint">It names the project in every address of the API. It is no secret.</p>
        <p class="copy-line">
          <code>{project.id}</code>
          <CopyButton text={project.id} what="the project ID" />
        </p>
      </section>
      <KeyCard path={`/v1/admin/projects/${project.id}/keys`} />
      <Examples project={project} />
    </Page>
  );
}

function KeyCard({ path }: { path: string }) {
  const resource = useResource<KeysReply>(path);
  const [created, setCreated] = useState<NewKeyReply>();
  const [revoking, setRevoking] = useState<KeyReply>();
  const onCreated = (key: NewKeyReply) => {
    setCreated(key);
    resource.reload();
  };
  return (
    <section class="card">
      <h2>Keys</h2>
      <Loaded resource={resource} lines={4}>
        {({ keys }) => <KeyList keys={keys} onRevoke={setRevoking} />}
      </Loaded>
      <NewKey path={path} onCreated={onCreated} />
      {created && <CreatedKey created={created} onClose={() => setCreated(undefined)} />}
      {revoking && (
        <Revoke
          path={`${path}/${revoking.id}`}
          name={revoking.name}
          onRevoked={resource.reload}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  );
}

function KeyList({ keys, onRevoke }: { keys: KeyReply[]; onRevoke: (key: KeyReply) => void }) {
  if (keys.length === 0) return <p class="empty">There are no keys yet.</p>;
  return (
    <ul class="rows">
      {keys.map((key) => (
        <KeyRow key={key.id} {...key} onRevoke={() => onRevoke(key)} />
      ))}
    </ul>
  );
}

function KeyRow({
  name,
  scope,
  allProjects,
  createdAt,
  lastUsedOn,
  onRevoke,
}: KeyReply & { onRevoke: () => void }) {
  return (
    <li>
      <div class="rows-main">
        <bdi class="strong">{name}</bdi>
        <span class="tag">{scopes[scope].toLowerCase()}</span>
        {allProjects && <span class="tag">all projects</span>}
        <p class="hint">
          Created <time dateTime={createdAt}>{formatTime(createdAt)}</time>,{' '}
          {lastUsedOn === null ? 'never used' : `last used on ${formatDay(lastUsedOn)}`}
        </p>
      </div>
      {allProjects ? (
        <span class="hint">Managed on the command line</span>
      ) : (
        <button type="button" class="small" onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </button>
      )}
    </li>
  );
}

function NewKey({ path, onCreated }: { path: string; onCreated: (key: NewKeyReply) => void }) {
  const { api } = useApi();
  const form = useForm({ name: '', scope: 'ingest' }, async (values) => {
    onCreated(await api.send<NewKeyReply>('POST', path, values));
    form.reset();
  });
  return (
    <Form action={form} submitLabel="Create key" class="inset">
      <h3>New key</h3>
      <div class="side-by-side">
        <TextField label="Name" {...form.field('name')} placeholder="web server" maxLength={100} required />
        <ChoiceField
          label="Access"
          {...form.field('scope')}
          options={scopes}
          hint={scopeHints[form.values.scope]}
        />
      </div>
    </Form>
  );
}

function CreatedKey({ created, onClose }: { created: NewKeyReply; onClose: () => void }) {
  return (
    <Dialog title="Your new key" onClose={onClose}>
      <p>Copy it now. It is shown only once, as the server keeps only its hash.</p>
      <Code text={created.secret} what="the key" />
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
  name: string;
  onRevoked: () => void;
  onClose: () => void;
}

function Revoke({ path, name, onRevoked, onClose }: RevokeProps) {
  const { api } = useApi();
  const revoke = useAction(async () => {
    await api.send('DELETE', path);
    onRevoked();
    onClose();
  });
  return (
    <Confirmation title="Revoke this key?" confirmLabel="Revoke key" action={revoke} onClose={onClose}>
      <p>
        Requests with <bdi class="strong">{name}</bdi> are refused from now on. This cannot be undone.
      </p>
    </Confirmation>
  );
}

/** Commands to be copied, with the project's values. */
function examplesOf(id: string): Record<string, string> {
  const server = location.origin;
  const key = '-H "Authorization: Bearer $HEADCOUNT_KEY"';
  const json = '-H "Content-Type: application/json"';
  return {
    'Visitors of each page': `curl ${key} \\\n  "${server}/v1/analytics/${id}/visitors?limit=10"`,
    'AI clients': `curl ${key} \\\n  "${server}/v1/analytics/${id}/ai-clients"`,
    'Send a page view from your server': `curl -X POST ${server}/v1/hits ${key} \\\n  ${json} \\\n  -d '{"project": "${id}", "hits": [{"url": "https://www.example.com/docs", "ip": "192.0.2.1", "userAgent": "Mozilla/5.0 …"}]}'`,
    'Start a job': `curl -X POST ${server}/v2/agent/${id}/job ${key} \\\n  ${json} \\\n  -d '{"prompt": "Find the pages that AI clients read most, and add an example to each."}'`,
  };
}

function Examples({ project: { id } }: { project: ProjectReply }) {
  return (
    <section class="card">
      <h2>Try it</h2>
      <Notice>
        <p>
          Put a key into the environment first: <code>export HEADCOUNT_KEY=hc_…</code>
        </p>
      </Notice>
      {Object.entries(examplesOf(id)).map(([name, text]) => (
        <div key={name} class="example">
          <h3>{name}</h3>
          <Code text={text} what={`the command: ${name}`} />
        </div>
      ))}
    </section>
  );
}
