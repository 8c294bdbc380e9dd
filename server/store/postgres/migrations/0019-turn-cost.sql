-- What the turn's agent cost so far, in millionths of a dollar; null: nobody knows.
alter table turns add column cost bigint;
