import { useState } from 'preact/hooks';
import type { LinkedUserReply, ProjectReply, UserReply, UsersReply } from '../../shared/admin.ts';
import type { ProjectRole, Role } from '../../shared/role.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Code } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { Form, useForm } from '../components/form.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { describeRole, RoleFields, RoleList } from './roles.tsx';

const path = '/v1/users';

type Asked =
  | { what: 'roles' | 'removal' | 'factor'; user: UserReply }
  | { what: 'link'; user: LinkedUserReply };

/** Who shares the installation, and what they may do. */
export function People({ projects }: { projects: ProjectReply[] }) {
  const resource = useResource<UsersReply>(path);
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const showLink = (user: LinkedUserReply) => {
    resource.reload();
    setAsked({ what: 'link', user });
  };
  return (
    <section class="card" id="people" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <p class="hint">
        Users sign in with a name and a password of their own. Viewers read reports; editors also change
        settings and start jobs; owners do everything.
      </p>
      <Loaded resource={resource} lines={3}>
        {({ users }) => (
          <ul class="rows">
            {users.map((user) => (
              <UserRow key={user.id} user={user} projects={projects} onAsked={setAsked} onLinked={showLink} />
            ))}
            {users.length === 0 && <li class="empty">Nobody but you: there is one password.</li>}
          </ul>
        )}
      </Loaded>
      <NewUser projects={projects} onAdded={showLink} />
      {asked?.what === 'link' && <ShowLink user={asked.user} onClose={close} />}
      {asked?.what === 'roles' && (
        <EditRoles user={asked.user} projects={projects} onChanged={resource.reload} onClose={close} />
      )}
      {asked?.what === 'factor' && (
        <ResetFactor user={asked.user} onReset={resource.reload} onClose={close} />
      )}
      {asked?.what === 'removal' && (
        <RemoveUser user={asked.user} onRemoved={resource.reload} onClose={close} />
      )}
    </section>
  );
}

interface UserRowProps {
  user: UserReply;
  projects: ProjectReply[];
  onAsked: (asked: Asked) => void;
  onLinked: (user: LinkedUserReply) => void;
}

function UserRow({ user, projects, onAsked, onLinked }: UserRowProps) {
  const { api } = useApi();
  const { id, name, roles, hasPassword, hasSecondFactor, hasSignOn, linkExpiresAt } = user;
  const link = useAction(async () => onLinked(await api.send('POST', `${path}/${id}/link`)));
  return (
    <li>
      <div class="rows-main">
        <bdi class="strong">{name}</bdi>
        {roles.map((role) => (
          <span key={role.projectId} class="tag">
            {describeRole(role, projects)}
          </span>
        ))}
        <p class="hint">
          {hasPassword ? 'Has a password' : 'Has set no password yet'}
          {hasSecondFactor && ' and a second factor'}
          {hasSignOn && '; has connected single sign-on'}
          {linkExpiresAt !== null && (
            <>
              ; a link that sets it is good until{' '}
              <time dateTime={linkExpiresAt}>{formatTime(linkExpiresAt)}</time>
            </>
          )}
        </p>
        <Failure failure={link.failure} />
      </div>
      <div class="page-actions">
        <button
          type="button"
          class="small"
          aria-label={`Roles of ${name}`}
          onClick={() => onAsked({ what: 'roles', user })}
        >
          Roles
        </button>
        <button
          type="button"
          class="small"
          aria-label={`New link for ${name}`}
          disabled={link.isBusy}
          onClick={() => link.run()}
        >
          New link
        </button>
        {hasSecondFactor && (
          <button
            type="button"
            class="small"
            aria-label={`Reset the second factor of ${name}`}
            onClick={() => onAsked({ what: 'factor', user })}
          >
            Reset second factor
          </button>
        )}
        <button
          type="button"
          class="small"
          aria-label={`Remove ${name}`}
          onClick={() => onAsked({ what: 'removal', user })}
        >
          Remove
        </button>
      </div>
    </li>
  );
}

interface NewUserProps {
  projects: ProjectReply[];
  onAdded: (user: LinkedUserReply) => void;
}

function NewUser({ projects, onAdded }: NewUserProps) {
  const { api } = useApi();
  const form = useForm({ name: '', role: 'viewer', projectId: '' }, async ({ name, role, projectId }) => {
    const roles = [{ projectId: projectId || null, role }];
    onAdded(await api.send<LinkedUserReply>('POST', path, { name, roles }));
    form.reset();
  });
  return (
    <Form action={form} submitLabel="Add user" class="inset">
      <h3>New user</h3>
      <TextField
        label="Name of the user"
        {...form.field('name')}
        required
        maxLength={100}
        placeholder="ada@example.com"
        hint="They type it to sign in. It need not be a mail address: you send them the link yourself."
      />
      <RoleFields form={form} projects={projects} />
    </Form>
  );
}

function ShowLink({ user: { name, link }, onClose }: { user: LinkedUserReply; onClose: () => void }) {
  return (
    <Dialog title="Send them this link" onClose={onClose}>
      <p>
        It sets the password of <bdi class="strong">{name}</bdi>, once and within a week. It is shown only
        this once; whoever has it can use it.
      </p>
      <Code text={link} what="the link" />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}

interface AskedProps {
  user: UserReply;
  onClose: () => void;
}

function EditRoles({
  user,
  projects,
  onChanged,
  onClose,
}: AskedProps & { projects: ProjectReply[]; onChanged: () => void }) {
  const { api } = useApi();
  const [roles, setRoles] = useState<readonly ProjectRole[]>(user.roles);
  const change = useAction(async (next: readonly ProjectRole[]) => {
    setRoles((await api.send<UserReply>('PATCH', `${path}/${user.id}`, { roles: next })).roles);
    onChanged();
  });
  const others = (projectId: string | null) => roles.filter((one) => one.projectId !== projectId);
  const form = useForm({ role: 'viewer', projectId: '' }, async (values) => {
    const projectId = values.projectId || null;
    await change.run([...others(projectId), { projectId, role: values.role as Role }]);
  });
  return (
    <Dialog title={`Roles of ${user.name}`} onClose={onClose}>
      <RoleList
        roles={roles}
        projects={projects}
        onRemove={({ projectId }) => change.run(others(projectId))}
      />
      <Form action={{ ...form, failure: change.failure }} submitLabel="Give this role" class="inset">
        <RoleFields form={form} projects={projects} />
      </Form>
    </Dialog>
  );
}

function ResetFactor({ user: { id, name }, onReset, onClose }: AskedProps & { onReset: () => void }) {
  const { api } = useApi();
  const reset = useAction(async () => {
    await api.send('DELETE', `${path}/${id}/second-factor`);
    onReset();
    onClose();
  });
  return (
    <Confirmation
      title="Reset the second factor?"
      confirmLabel="Reset second factor"
      action={reset}
      onClose={onClose}
    >
      <p>
        The password of <bdi class="strong">{name}</bdi> alone signs in then. Be sure that it is they who ask
        for it.
      </p>
    </Confirmation>
  );
}

function RemoveUser({ user: { id, name }, onRemoved, onClose }: AskedProps & { onRemoved: () => void }) {
  const { api } = useApi();
  const remove = useAction(async () => {
    await api.send('DELETE', `${path}/${id}`);
    onRemoved();
    onClose();
  });
  return (
    <Confirmation title="Remove this user?" confirmLabel="Remove user" action={remove} onClose={onClose}>
      <p>
        <bdi class="strong">{name}</bdi> is signed out everywhere at once. API keys that they have seen stay
        good: revoke those that they should not have.
      </p>
    </Confirmation>
  );
}
