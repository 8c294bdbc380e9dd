import { has, type Sql } from '../../database/sql.ts';
import { change } from '../../database/versions.ts';
import { addSession, endSessions, type Session, setPassword } from './factors.ts';
import { findLink } from './users.ts';

/** An account at a provider, by the id that is unique at the provider. */
export interface SignOn {
  issuer: string;
  subject: string;
}

/** `taken`: another user has connected it; `closed`: the link was used or is too old. */
export type ConnectOutcome = 'connected' | 'taken' | 'closed';

export type SignOnStore = ReturnType<typeof signOns>;

/** Accounts at providers that users sign in by; each has at most one of a provider. */
export function signOns(sql: Sql) {
  const changeSignOns = (apply: (sql: Sql) => Promise<boolean>) => change(sql, 'sessions', apply);
  return {
    async hasSignOn(userId: string, issuer: string): Promise<boolean> {
      return has(sql, 'select user_id from sign_ons where user_id = $1 and issuer = $2', [userId, issuer]);
    },

    /** In the place of another one of the same provider. */
    async connectSignOn(userId: string, signOn: SignOn): Promise<Exclude<ConnectOutcome, 'closed'>> {
      const isDone = await changeSignOns((transaction) => connect(transaction, userId, signOn));
      return isDone ? 'connected' : 'taken';
    },

    /** Uses up the link of a user, whose other sessions end as their password does, and begins this one. */
    async redeemLinkBySignOn(linkHash: string, signOn: SignOn, session: Session): Promise<ConnectOutcome> {
      let outcome: ConnectOutcome = 'closed';
      await changeSignOns(async (transaction) => {
        outcome = 'closed';
        const userId = await findLink(transaction, linkHash, session.createdAt);
        if (userId === null) return false;
        outcome = (await connect(transaction, userId, signOn)) ? 'connected' : 'taken';
        if (outcome === 'taken') return false;
        await setPassword(transaction, userId, null);
        await endSessions(transaction, userId);
        await addSession(transaction, userId, session);
        return true;
      });
      return outcome;
    },

    /** Answers false where there is none. */
    disconnectSignOn(userId: string, issuer: string): Promise<boolean> {
      return changeSignOns(async (transaction) => {
        return has(transaction, 'delete from sign_ons where user_id = $1 and issuer = $2 returning user_id', [
          userId,
          issuer,
        ]);
      });
    },

    /** Answers false where no user has connected it. */
    startSessionBySignOn(signOn: SignOn, session: Session): Promise<boolean> {
      return changeSignOns(async (transaction) => {
        const owner = await findOwner(transaction, signOn);
        if (owner === undefined) return false;
        await addSession(transaction, owner, session);
        return true;
      });
    },
  };
}

async function findOwner(sql: Sql, { issuer, subject }: SignOn): Promise<string | undefined> {
  const [row] = await sql.query<{ userId: string }>(
    'select user_id as "userId" from sign_ons where issuer = $1 and subject = $2',
    [issuer, subject],
  );
  return row?.userId;
}

/** Changes of sessions are serialized, so that the same account is not connected twice. */
async function connect(sql: Sql, userId: string, signOn: SignOn): Promise<boolean> {
  const owner = await findOwner(sql, signOn);
  if (owner !== undefined && owner !== userId) return false;
  await sql.query('delete from sign_ons where user_id = $1 and issuer = $2', [userId, signOn.issuer]);
  await sql.query(
    'insert into sign_ons (issuer, subject, user_id) select $1, $2, id from users where id = $3',
    [signOn.issuer, signOn.subject, userId],
  );
  return true;
}
