create or replace function has_bin(p_bin int) returns boolean language sql stable as $$
  select exists (
    select from pg_inherits join pg_class on oid = inhrelid where inhparent = 'seen'::regclass and relname = bin_table(p_bin)
  )
$$;
