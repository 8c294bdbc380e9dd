create or replace function recent_turn(p_now bigint) returns int language sql immutable
  as $$ select (p_now / 60000)::int & 7 $$;
