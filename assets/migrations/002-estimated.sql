-- Money that the vendor did not tell is estimated by list prices: such a row says so.
alter table usage add column estimated integer not null default 0;
