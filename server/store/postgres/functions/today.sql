-- Today's date as a day, by the clock that all nodes share.
create or replace function today() returns int language sql stable
  as $$ select (now() at time zone 'UTC')::date - date '1970-01-01' $$;
