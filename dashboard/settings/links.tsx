import { useState } from 'preact/hooks';
import type { LinkReply, LinksReply, ProjectReply } from '../../shared/accounts/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Code } from '../components/copy.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { safeLink } from '../formats/text.ts';
import { fill, mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';

/** Public addresses of the project. */
export function Links({ project }: { project: ProjectReply }) {
  const { api } = useApi();
  const path = `/v1/admin/projects/${project.id}/links`;
  const resource = useResource<LinksReply>(path);
  const [revoking, setRevoking] = useState<LinkReply>();
  const create = useAction(async (kind: LinkReply['kind']) => {
    await api.send<LinkReply>('POST', path, { kind });
    resource.reload();
  });
  return (
    <section class="card" id="sharing" aria-labelledby="sharing-title">
      <h2 id="sharing-title">{t.sharing}</h2>
      <Loaded resource={resource} lines={3}>
        {({ links }) => <LinkList links={links} projectName={project.name} onRevoke={setRevoking} />}
      </Loaded>
      <Failure failure={create.failure} />
      <div class="actions">
        {(['page', 'badge'] as const).map((kind) => (
          <button key={kind} type="button" onClick={() => create.run(kind)} disabled={create.isBusy}>
            {t.linkKinds[kind].create}
          </button>
        ))}
      </div>
      {revoking && (
        <RevokeLink
          path={`${path}/${revoking.id}`}
          kind={revoking.kind}
          onRevoked={resource.reload}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  );
}

interface LinkListProps {
  links: LinkReply[];
  projectName: string;
  onRevoke: (link: LinkReply) => void;
}

function LinkList({ links, projectName, onRevoke }: LinkListProps) {
  return (
    <ul class="rows">
      {links.map((link) => (
        <SharedLink key={link.id} link={link} projectName={projectName} onRevoke={() => onRevoke(link)} />
      ))}
      {links.length === 0 && <li class="empty">{t.nothingInThisProjectIsPublic}</li>}
    </ul>
  );
}

interface SharedLinkProps {
  link: LinkReply;
  projectName: string;
  onRevoke: () => void;
}

function SharedLink({ link: { kind, url, createdAt }, projectName, onRevoke }: SharedLinkProps) {
  const { title, what, description, revokeThis } = t.linkKinds[kind];
  return (
    <li class="rows-tall">
      <div class="rows-main">
        <span class="strong">{title}</span>
        <p class="hint">
          {mix(t.created, {
            description,
            createdAt: <time dateTime={createdAt}>{formatTime(createdAt)}</time>,
          })}
        </p>
        {kind === 'badge' && (
          <img class="badge" src={new URL(url).pathname} alt={fill(t.badgeOf, { projectName })} height={20} />
        )}
      </div>
      {kind === 'page' && (
        <a class="button small" href={safeLink(url)} target="_blank" rel="noreferrer">
          {t.open}
        </a>
      )}
      <button type="button" class="small" onClick={onRevoke} aria-label={revokeThis}>
        {t.revoke}
      </button>
      <Code text={kind === 'badge' ? `![Visitors](${url})` : url} what={what} />
    </li>
  );
}

interface RevokeLinkProps {
  path: string;
  kind: LinkReply['kind'];
  onRevoked: () => void;
  onClose: () => void;
}

function RevokeLink({ path, kind, onRevoked, onClose }: RevokeLinkProps) {
  const { api } = useApi();
  const { question, revoke: confirmLabel, consequence } = t.linkKinds[kind];
  const revoke = useAction(async () => {
    await api.send('DELETE', path);
    onRevoked();
    onClose();
  });
  return (
    <Confirmation title={question} confirmLabel={confirmLabel} action={revoke} onClose={onClose}>
      <p>{consequence}</p>
    </Confirmation>
  );
}
