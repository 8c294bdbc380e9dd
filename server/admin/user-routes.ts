import { newUserBody, userPatch } from '../../shared/accounts/user.ts';
import { actorOf } from '../http/authorize.ts';
import { type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import { maxBodyBytes } from './paths.ts';
import { addUser, listUsers, offerUserLink, removeUser, resetFactor, setRoles } from './users.ts';

const base = '/v1/users';
const path = `${base}/:userId`;

const replies = () => import('../../shared/replies/accounts/user.ts');

/** People who share the installation. */
export const userRoutes: readonly Route[] = [
  route({
    name: 'users.list',
    method: 'GET',
    path: base,
    access: 'owner',
    summary: 'List all users and what they may do',
    answers: { 200: { says: 'All users, by name', json: async () => (await replies()).usersReply } },
    handle: listUsers,
  }),
  route({
    name: 'users.add',
    method: 'POST',
    path: base,
    access: 'owner',
    body: { schema: newUserBody, maxBytes: maxBodyBytes, subject: 'The user' },
    summary: 'Add a user',
    description: 'They open the link to set a password, and sign in with it and their name.',
    answers: {
      201: { says: 'The new user, with the link', json: async () => (await replies()).linkedUserReply },
    },
    handle: (context, { body, req }) => addUser(context, body, serverUrl(context, req)),
  }),
  route({
    name: 'users.change',
    method: 'PATCH',
    path,
    access: 'owner',
    body: { schema: userPatch, maxBytes: maxBodyBytes, subject: 'The user' },
    summary: 'Give a user other roles',
    description: 'They replace all earlier roles, at once.',
    answers: { 200: { says: 'The user as they are now', json: async () => (await replies()).userReply } },
    refusals: ['not_found'],
    handle: (context, { body, req }) => setRoles(context, String(req.params.userId), body.roles),
  }),
  route({
    name: 'users.reset_second_factor',
    method: 'DELETE',
    path: `${path}/second-factor`,
    access: 'owner',
    summary: 'Turn off the second factor of a user who has lost it',
    description: 'After that, the password alone is enough to sign in. You cannot do this for yourself.',
    answers: { 204: { says: 'It is off' } },
    refusals: ['not_found'],
    handle: (context, { req }) => resetFactor(context, String(req.params.userId), actorOf(context, req)),
  }),
  route({
    name: 'users.remove',
    method: 'DELETE',
    path,
    access: 'owner',
    summary: 'Remove a user, who is signed out at once',
    answers: { 204: { says: 'They are gone' } },
    refusals: ['not_found'],
    handle: (context, { req }) => removeUser(context, String(req.params.userId)),
  }),
  route({
    name: 'users.link',
    method: 'POST',
    path: `${path}/link`,
    access: 'owner',
    summary: 'Make a link that sets the password of a user anew',
    description: 'An earlier link stops working. The current password works until the link is used.',
    answers: {
      201: { says: 'The user, with the link', json: async () => (await replies()).linkedUserReply },
    },
    refusals: ['not_found'],
    handle: (context, { req }) => offerUserLink(context, String(req.params.userId), serverUrl(context, req)),
  }),
];
