-- Some of what waits in a shard, and nothing that somebody else is about to add up. Answers how many rows that were.
create or replace function fold_shard(p_shard int, p_limit int) returns int language plpgsql as $$
declare
  v_rows tid[] := array(select ctid from pending_counts where shard = p_shard limit p_limit for update skip locked);
begin
  if v_rows <> '{}' then perform fold_rows(p_shard, v_rows); end if;
  return cardinality(v_rows);
end $$;
