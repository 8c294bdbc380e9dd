-- All of a project; waits for whoever adds some of it up.
create or replace function fold_project(p_shard int, p_project int) returns void language plpgsql as $$
declare
  v_rows tid[] := array(select ctid from pending_counts where shard = p_shard and project = p_project for update);
begin
  if v_rows <> '{}' then perform fold_rows(p_shard, v_rows); end if;
end $$;
