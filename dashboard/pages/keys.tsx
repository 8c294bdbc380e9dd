import { useState } from 'preact/hooks';
import type { KeyReply, KeysReply, NewKeyReply, ProjectReply } from '../../shared/accounts/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Code, CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { Loaded, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatDay, formatTime } from '../formats/day.ts';
import { t } from '../texts/pages.ts';
import { fill, lookUp, mix } from '../texts/part.ts';

export function Keys({ project }: { project: ProjectReply }) {
  return (
    <Page title={t.apiKeys} class="page-text">
      <section class="card">
        <h2>{t.projectId}</h2>
        <p class="hint">{t.itNamesTheProjectInEvery}</p>
        <p class="copy-line">
          <code>{project.id}</code>
          <CopyButton text={project.id} what={t.theProjectId} />
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
      <h2>{t.keys}</h2>
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
  if (keys.length === 0) return <p class="empty">{t.thereAreNoKeysYet}</p>;
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
        <span class="tag">{t.scopeTags[scope]}</span>
        {allProjects && <span class="tag">{t.allProjects}</span>}
        <p class="hint">
          {mix(lastUsedOn === null ? t.createdAndNeverUsed : t.createdAndLastUsed, {
            moment: <time dateTime={createdAt}>{formatTime(createdAt)}</time>,
            day: lastUsedOn === null ? '' : formatDay(lastUsedOn),
          })}
        </p>
      </div>
      {allProjects ? (
        <span class="hint">{t.managedOnTheCommandLine}</span>
      ) : (
        <button type="button" class="small" onClick={onRevoke} aria-label={fill(t.revokeName, { name })}>
          {t.revoke}
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
    <Form action={form} submitLabel={t.createKey} class="inset">
      <h3>{t.newKey}</h3>
      <div class="side-by-side">
        <TextField
          label={t.name}
          {...form.field('name')}
          placeholder={t.webServer}
          maxLength={100}
          required
        />
        <ChoiceField
          label={t.access}
          {...form.field('scope')}
          options={t.scopes}
          hint={lookUp(t.scopeHints, form.values.scope)}
        />
      </div>
    </Form>
  );
}

function CreatedKey({ created, onClose }: { created: NewKeyReply; onClose: () => void }) {
  return (
    <Dialog title={t.yourNewKey} onClose={onClose}>
      <p>{t.copyItNowItIsShownOnlyOnce}</p>
      <Code text={created.secret} what={t.theKey} />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {t.iHaveCopiedIt}
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
    <Confirmation title={t.revokeThisKey} confirmLabel={t.revokeKey} action={revoke} onClose={onClose}>
      <p>{mix(t.requestsWithAreRefusedFrom, { name: <bdi class="strong">{name}</bdi> })}</p>
    </Confirmation>
  );
}

/** Commands to be copied, with the project's values. */
function examplesOf(id: string): Record<string, string> {
  const server = location.origin;
  const key = '-H "Authorization: Bearer $HEADCOUNT_KEY"';
  const json = '-H "Content-Type: application/json"';
  return {
    [t.visitorsOfEachPage]: `curl ${key} \\\n  "${server}/v1/analytics/${id}/visitors?limit=10"`,
    [t.aiClients]: `curl ${key} \\\n  "${server}/v1/analytics/${id}/ai-clients"`,
    [t.sendAPageViewFromYourServer]: `curl -X POST ${server}/v1/hits ${key} \\\n  ${json} \\\n  -d '{"project": "${id}", "hits": [{"url": "https://www.example.com/docs", "ip": "192.0.2.1", "userAgent": "Mozilla/5.0 …"}]}'`,
    [t.startAJob]: `curl -X POST ${server}/v2/agent/${id}/job ${key} \\\n  ${json} \\\n  -d '{"prompt": "Find the pages that AI clients read most, and add an example to each."}'`,
  };
}

function Examples({ project: { id } }: { project: ProjectReply }) {
  return (
    <section class="card">
      <h2>{t.tryIt}</h2>
      <Notice>
        <p>{mix(t.putAKeyIntoTheEnvironment, { command: <code>export HEADCOUNT_KEY=hc_…</code> })}</p>
      </Notice>
      {Object.entries(examplesOf(id)).map(([name, text]) => (
        <div key={name} class="example">
          <h3>{name}</h3>
          <Code text={text} what={fill(t.theCommand, { name })} />
        </div>
      ))}
    </section>
  );
}
