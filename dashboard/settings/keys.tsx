import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { KeyReply, KeysReply, NewKeyReply, ProjectReply } from '../../shared/accounts/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Code, CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { Loaded, Notice } from '../components/notice.tsx';
import { formatDay, formatTime } from '../formats/day.ts';
import { addressOf } from '../router/address.ts';
import { Link } from '../router/router.tsx';
import { t as frame } from '../texts/frame.ts';
import { t } from '../texts/pages.ts';
import { fill, list, lookUp, mix } from '../texts/part.ts';

export function Keys({ project }: { project: ProjectReply }) {
  return (
    <>
      <section class="card">
        <h2>{t.projectId}</h2>
        <p class="hint">{t.itNamesTheProjectInEvery}</p>
        <p class="copy-line">
          <code>{project.id}</code>
          <CopyButton text={project.id} what={t.theProjectId} />
        </p>
      </section>
      <KeyCard path={`/v1/admin/projects/${project.id}/keys`} />
      <section class="card">
        <h2>{t.people}</h2>
        <p class="hint">
          {mix(t.peopleAreAddedUnder, {
            installation: <Link href="/installation">{frame.installation}</Link>,
          })}
        </p>
      </section>
      <Examples project={project} />
    </>
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
          made={madeWith(resource.data?.keys ?? [], revoking.id)}
          onRevoked={resource.reload}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  );
}

/** Names of the keys that end with a key. */
function madeWith(keys: readonly KeyReply[], id: string): string[] {
  return keys
    .filter(({ madeBy }) => madeBy?.kind === 'key' && madeBy.id === id)
    .flatMap((key) => [key.name, ...madeWith(keys, key.id)]);
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

function KeyRow({ onRevoke, ...key }: KeyReply & { onRevoke: () => void }) {
  const { name, scope, allProjects, createdAt, lastUsedOn } = key;
  return (
    <li>
      <div class="rows-main">
        <bdi class="strong">{name}</bdi>
        <span class="tag">{t.scopeTags[scope]}</span>
        {allProjects && <span class="tag">{t.allProjects}</span>}
        {isOver(key) && <span class="tag">{t.expired}</span>}
        <p class="hint">
          {mix(lastUsedOn === null ? t.createdAndNeverUsed : t.createdAndLastUsed, {
            moment: <time dateTime={createdAt}>{formatTime(createdAt)}</time>,
            day: lastUsedOn === null ? '' : formatDay(lastUsedOn),
          })}
        </p>
        <Limits {...key} />
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

const isOver = ({ expiresAt }: KeyReply) => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/** Until when and from where a key may be used, and who made it. */
function Limits(key: KeyReply) {
  const { expiresAt, networks, madeBy } = key;
  const parts = [
    expiresAt !== null &&
      mix(isOver(key) ? t.expiredAt : t.expiresAt, {
        moment: <time dateTime={expiresAt}>{formatTime(expiresAt)}</time>,
      }),
    networks.length > 0 && mix(t.onlyFrom, { networks: <bdi dir="ltr">{networks.join(', ')}</bdi> }),
    madeBy && mix(t.madeBy[madeBy.kind], { name: <bdi>{madeBy.name}</bdi> }),
  ].filter((part) => part !== false && part !== null);
  if (parts.length === 0) return null;
  return (
    <p class="hint">
      {parts.map((part, i) => (
        <Fragment key={i}>
          {i > 0 && ' · '}
          {part}
        </Fragment>
      ))}
    </p>
  );
}

const dayMs = 24 * 60 * 60 * 1000;

function NewKey({ path, onCreated }: { path: string; onCreated: (key: NewKeyReply) => void }) {
  const { api } = useApi();
  const initial = { name: '', scope: 'ingest', expiresAt: 'never', networks: '' };
  const form = useForm(initial, async ({ expiresAt: days, networks, ...values }) => {
    const ms = Number.parseInt(days, 10) * dayMs;
    const expiresAt = Number.isNaN(ms) ? null : new Date(Date.now() + ms).toISOString();
    const body = { ...values, expiresAt, networks: networks.split(/[\s,]+/).filter((one) => one !== '') };
    onCreated(await api.send<NewKeyReply>('POST', path, body));
    form.reset();
  });
  return (
    <Form action={form} submitLabel={t.createKey} class="inset" isKept>
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
        <ChoiceField label={t.expires} {...form.field('expiresAt')} options={t.ends} />
        <TextField label={t.networks} {...form.field('networks')} dir="ltr" hint={t.emptyFromAnywhere} />
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
  made: readonly string[];
  onRevoked: () => void;
  onClose: () => void;
}

function Revoke({ path, name, made, onRevoked, onClose }: RevokeProps) {
  const { api } = useApi();
  const revoke = useAction(async () => {
    await api.send('DELETE', path);
    onRevoked();
    onClose();
  });
  return (
    <Confirmation title={t.revokeThisKey} confirmLabel={t.revokeKey} action={revoke} onClose={onClose}>
      <p>{mix(t.requestsWithAreRefusedFrom, { name: <bdi class="strong">{name}</bdi> })}</p>
      {made.length > 0 && <p>{mix(t.keysMadeWithItEndToo, { names: <bdi>{list(made)}</bdi> })}</p>}
    </Confirmation>
  );
}

/** Commands to be copied, with the project's values. */
function examplesOf(id: string): Record<string, string> {
  const at = (path: string) => location.origin + addressOf(path);
  const key = '-H "Authorization: Bearer $HEADCOUNT_KEY"';
  const json = '-H "Content-Type: application/json"';
  return {
    [t.visitorsOfEachPage]: `curl ${key} \\\n  "${at(`/v1/analytics/${id}/visitors?limit=10`)}"`,
    [t.aiClients]: `curl ${key} \\\n  "${at(`/v1/analytics/${id}/ai-clients`)}"`,
    [t.sendAPageViewFromYourServer]: `curl -X POST ${at('/v1/hits')} ${key} \\\n  ${json} \\\n  -d '{"project": "${id}", "hits": [{"url": "https://www.example.com/docs", "ip": "192.0.2.1", "userAgent": "Mozilla/5.0 …"}]}'`,
    [t.startAJob]: `curl -X POST ${at(`/v2/agent/${id}/job`)} ${key} \\\n  ${json} \\\n  -d '{"prompt": "Find the pages that AI clients read most, and add an example to each."}'`,
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
