/** Styles are files of their own: the bundler gathers them beside the scripts. */
declare module "*.css";
