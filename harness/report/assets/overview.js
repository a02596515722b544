site.plain();
