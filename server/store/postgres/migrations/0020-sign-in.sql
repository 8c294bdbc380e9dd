-- What accounts ask for besides the password.
create table second_factors (
  -- Null: the administrator's.
  user_id text collate "C" references users (id) on delete cascade,
  -- What codes are made of, encrypted.
  secret bytea not null,
  -- Of the last code that was accepted.
  last_step bigint not null,
  -- JSON list of the SHA-256 of those that nobody has used.
  recovery_codes text not null
);
create unique index second_factors_by_user on second_factors (coalesce(user_id, ''));

-- Accounts at providers that users sign in by.
create table sign_ons (
  issuer text collate "C" not null,
  -- How the provider calls the account.
  subject text collate "C" not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  primary key (issuer, subject)
);
create unique index sign_ons_by_user on sign_ons (user_id, issuer);
