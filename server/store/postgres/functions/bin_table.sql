create or replace function bin_table(p_bin int) returns text language sql immutable
  as $$ select case when p_bin < 0 then 'seen_opened_' || -p_bin else 'seen_' || p_bin end $$;
