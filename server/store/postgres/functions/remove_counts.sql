-- For the end of a project. Its visitors go with the partitions that they are in.
create or replace function remove_counts(p_project int) returns void language plpgsql as $$
declare
  v_shards int[];
begin
  perform hold_counting(p_project);
  select shards_of(id, buckets) into v_shards from projects where id = p_project;
  perform forget_days(array(select id from days where project = p_project));
  delete from names where project = p_project;
  delete from counts where shard = any (v_shards) and project = p_project;
  delete from dropped where shard = any (v_shards) and project = p_project;
  delete from name_caps where shard = any (v_shards) and project = p_project;
end $$;
