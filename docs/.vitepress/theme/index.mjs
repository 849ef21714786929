import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'nav-bar-title-after': () => h(Version) }),
};

function Version() {
  const { theme } = useData();
  return h('span', { class: 'version' }, theme.value.version);
}
