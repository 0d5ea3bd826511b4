"""Facts about objects that several rules need: one topic per file, in the folders of the rules'
families."""
