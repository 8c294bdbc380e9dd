import { newKeyBody } from '../../shared/accounts/admin.ts';
import { actorOf } from '../http/authorize.ts';
import { type Route, route } from '../http/route.ts';
import { addKey, listKeys, revokeKey } from './keys.ts';
import { maxBodyBytes, projectPath } from './paths.ts';

const replies = () => import('../../shared/replies/admin.ts');

export const keyRoutes: readonly Route[] = [
  route({
    name: 'admin.keys.list',
    method: 'GET',
    path: `${projectPath}/keys`,
    access: 'session_project',
    role: 'owner',
    summary: 'List the keys that are good for a project',
    answers: { 200: { says: 'Its keys', json: async () => (await replies()).keysReply } },
    handle: (context, { project }) => listKeys(context, { project, seesAll: true }),
  }),
  route({
    name: 'admin.keys.add',
    method: 'POST',
    path: `${projectPath}/keys`,
    access: 'session_project',
    role: 'owner',
    body: { schema: newKeyBody, maxBytes: maxBodyBytes, subject: 'The key' },
    summary: 'Make a key',
    answers: { 201: { says: 'The new key', json: async () => (await replies()).newKeyReply } },
    handle: (context, { project, body, req }) =>
      addKey(context, project, body, { actor: actorOf(context, req), key: null }),
  }),
  route({
    name: 'admin.keys.revoke',
    method: 'DELETE',
    path: `${projectPath}/keys/:keyId`,
    access: 'session_project',
    role: 'owner',
    summary: 'Revoke a key, and the keys that it made',
    answers: { 204: { says: 'It is good for nothing any more' } },
    handle: (context, { project, req }) =>
      revokeKey(context, { project, seesAll: true }, String(req.params.keyId)),
  }),
];
