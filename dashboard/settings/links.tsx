import { useState } from 'preact/hooks';
import type { LinkReply, LinksReply, ProjectReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Code } from '../components/copy.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { safeLink } from '../formats/text.ts';

const kinds: Record<LinkReply['kind'], { title: string; name: string; description: string }> = {
  page: {
    title: 'Share link',
    name: 'share link',
    description: 'Everybody who has it can see the overview, and change nothing.',
  },
  badge: {
    title: 'Badge',
    name: 'badge',
    description: 'An image with the visitors of the last 30 days, for a README or a page.',
  },
};

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
      <h2 id="sharing-title">Sharing</h2>
      <Loaded resource={resource} lines={3}>
        {({ links }) => <LinkList links={links} projectName={project.name} onRevoke={setRevoking} />}
      </Loaded>
      <Failure failure={create.failure} />
      <div class="actions">
        {(['page', 'badge'] as const).map((kind) => (
          <button key={kind} type="button" onClick={() => create.run(kind)} disabled={create.isBusy}>
            Create {kinds[kind].name}
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
      {links.length === 0 && <li class="empty">Nothing in this project is public.</li>}
    </ul>
  );
}

interface SharedLinkProps {
  link: LinkReply;
  projectName: string;
  onRevoke: () => void;
}

function SharedLink({ link: { kind, url, createdAt }, projectName, onRevoke }: SharedLinkProps) {
  const { title, name, description } = kinds[kind];
  return (
    <li class="rows-tall">
      <div class="rows-main">
        <span class="strong">{title}</span>
        <p class="hint">
          {description} Created <time dateTime={createdAt}>{formatTime(createdAt)}</time>.
        </p>
        {kind === 'badge' && (
          <img class="badge" src={new URL(url).pathname} alt={`Badge of ${projectName}`} height={20} />
        )}
      </div>
      {kind === 'page' && (
        <a class="button small" href={safeLink(url)} target="_blank" rel="noreferrer">
          Open
        </a>
      )}
      <button type="button" class="small" onClick={onRevoke} aria-label={`Revoke this ${name}`}>
        Revoke
      </button>
      <Code text={kind === 'badge' ? `![Visitors](${url})` : url} what={`the ${name}`} />
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
  const { name } = kinds[kind];
  const revoke = useAction(async () => {
    await api.send('DELETE', path);
    onRevoked();
    onClose();
  });
  return (
    <Confirmation
      title={`Revoke this ${name}?`}
      confirmLabel={`Revoke ${name}`}
      action={revoke}
      onClose={onClose}
    >
      <p>Its address stops working at once. A new {name} gets another address.</p>
    </Confirmation>
  );
}
