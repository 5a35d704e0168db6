#!/usr/bin/env bash
# Look at the current folder and print what an agent should know about it.
#
# usage: detect_context.sh [EMPTY_FOLDER | --in-turn]
#
# --in-turn runs the same sections one after another, to compare.
# Every section is a background subshell with a temporary file of its own, so the slowest one sets the
# time and their lines never mix. What a section says on stderr stays in a file of its own too.
# No tool is started to ask its version; versions come from names and release files beside it.
# Works without git, without any program on PATH, and with spaces in names.

export LC_ALL=C
shopt -s nullglob

have() { command -v "$1" >/dev/null 2>&1; }

limited() { # limited SECONDS COMMAND...: a command that must not take longer, where that can be had
  local seconds=$1
  shift
  if have timeout; then timeout -k 0.2 "$seconds" "$@"; else "$@"; fi
}

first() { # first N: at most N lines of standard input, and how many more there were up to a bound
  local n=$1 count=0 line
  while ((count < n)) && IFS= read -r line; do
    printf '%s\n' "$line"
    count=$((count + 1))
  done
  if IFS= read -r line; then printf '… more\n'; fi
}

named() { # named DEPTH PATTERN...: files of these names, not in folders that tools write
  local depth=$1 names=() pattern
  shift
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  if have find; then
    limited 1 find . -maxdepth "$depth" \
      \( -name .git -o -name node_modules -o -name bin -o -name obj -o -name target -o -name .venv \) -prune \
      -o -type f \( "${names[@]:1}" \) -print 2>/dev/null
  else
    for pattern in "$@"; do
      # shellcheck disable=SC2231 # the pattern is meant to expand
      for found in ./$pattern ./*/$pattern; do [[ -f $found ]] && printf '%s\n' "$found"; done
    done
  fi
}

resolved() { # resolved TOOL: where a tool really is, links followed
  local path
  path=$(command -v "$1") || return 1
  while [[ -L $path ]] && have readlink; do
    local link
    link=$(readlink "$path") || break
    [[ $link == /* ]] && path=$link || path=${path%/*}/$link
  done
  printf '%s\n' "$path"
}

package_managers() {
  local tool found=()
  for tool in dotnet nuget mvn gradle npm pnpm yarn pip uv poetry cargo go; do
    have "$tool" && found+=("$tool")
  done
  [[ -x ./mvnw ]] && found+=("./mvnw")
  [[ -x ./gradlew ]] && found+=("./gradlew")
  ((${#found[@]})) && printf '%s\n' "${found[*]}"
}

dotnet_runtime() {
  local home sdk found=()
  home=$(resolved dotnet) || return
  home=${home%/*}
  for sdk in "$home"/sdk/*/ /usr/share/dotnet/sdk/*/ /usr/lib/dotnet/sdk/*/; do
    sdk=${sdk%/}
    sdk=${sdk##*/}
    [[ " ${found[*]} " == *" $sdk "* ]] || found+=("$sdk")
  done
  printf 'dotnet SDK: %s\n' "${found[*]:-version not found}"
}

java_runtime() {
  local home line seen=" "
  home=$(resolved java) && home=${home%/bin/*}
  for home in "$JAVA_HOME" "$home" /usr/lib/jvm/*; do
    [[ -L $home ]] && continue
    [[ -r $home/release && $seen != *" $home "* ]] || continue
    seen+="$home "
    while IFS= read -r line; do
      [[ $line == JAVA_VERSION=* ]] && printf 'java: %s (%s)\n' "${line#*=}" "$home"
    done <"$home/release"
  done
}

other_runtimes() {
  local jar path tool
  path=$(resolved mvn) && for jar in "${path%/bin/*}"/lib/maven-core-[0-9]*.[0-9]*.jar /usr/share/java/maven-core-[0-9]*.[0-9]*.jar; do
    jar=${jar##*maven-core-}
    printf 'maven: %s\n' "${jar%.jar}"
  done
  for tool in python3 node; do
    path=$(resolved "$tool") && printf '%s: %s\n' "$tool" "${path##*/}"
  done
}

runtimes() { dotnet_runtime; java_runtime; other_runtimes; }

project() {
  local file line
  named 3 '*.sln' '*.slnx' '*.csproj' pom.xml build.gradle build.gradle.kts package.json pyproject.toml go.mod Cargo.toml | first 25
  while IFS= read -r file; do
    while IFS= read -r line; do
      [[ $line == *PackageReference*EntityFrameworkCore* || $line == *PackageReference*MongoDB* || $line == *'<TargetFramework'* ]] &&
        printf '%s: %s\n' "$file" "${line#"${line%%[![:space:]]*}"}"
    done < <(first 400 <"$file")
  done < <(named 3 '*.csproj' | first 8) | first 20
}

language() {
  local found=()
  [[ -n $(named 3 '*.csproj' '*.sln' '*.slnx' '*.cs' | first 1) ]] && found+=("C#")
  [[ -n $(named 3 pom.xml build.gradle build.gradle.kts '*.java' | first 1) ]] && found+=("Java")
  [[ -f package.json ]] && found+=("JavaScript")
  [[ -f pyproject.toml || -f setup.py ]] && found+=("Python")
  ((${#found[@]})) && printf '%s\n' "${found[*]}"
  if [[ -n $VIRTUAL_ENV ]]; then printf 'virtual environment: %s\n' "$VIRTUAL_ENV"; fi
  if [[ -d .venv ]]; then printf 'virtual environment: .venv\n'; fi
}

git_state() {
  local top=$PWD head
  while [[ -n $top && ! -e $top/.git ]]; do top=${top%/*}; done
  [[ -e $top/.git ]] || { printf 'not a git repository\n'; return; }
  if ! have git; then
    if [[ -r $top/.git/HEAD ]]; then
      IFS= read -r head <"$top/.git/HEAD"
      printf 'branch: %s\n' "${head#ref: refs/heads/}"
    fi
    return
  fi
  limited 1 git --no-optional-locks -c core.fsmonitor=false status --porcelain --branch --untracked-files=no |
    first 15 | while IFS= read -r head; do printf '%s\n' "${head/#\#\# /branch: }"; done
  limited 1 git --no-optional-locks log -3 --format='%h %s' 2>/dev/null
}

test_command() {
  local line
  if [[ -f Makefile ]]; then
    while IFS= read -r line; do [[ $line == test:* ]] && { printf 'make test\n'; break; }; done < <(first 2000 <Makefile)
  fi
  [[ -n $(named 2 '*.sln' '*.slnx' '*.csproj' | first 1) ]] && printf 'dotnet test\n'
  if [[ -x ./mvnw ]]; then printf './mvnw test\n'; elif [[ -f pom.xml ]]; then printf 'mvn test\n'; fi
  if [[ -x ./gradlew ]]; then printf './gradlew test\n'; fi
  if [[ -f package.json && $(first 400 <package.json) == *'"test"'* ]]; then printf 'npm test\n'; fi
  if [[ -f pyproject.toml ]]; then printf 'pytest\n'; fi
}

files() {
  local entry
  if have find; then
    limited 1 find . -mindepth 1 -maxdepth 1 -print 2>/dev/null | first 60
  else
    for entry in * .[!.]*; do printf './%s\n' "$entry"; done | first 60
  fi
}

tree() {
  local entry
  if have find; then
    limited 1 find . -maxdepth 3 \
      \( -name '.?*' -o -name node_modules -o -name bin -o -name obj -o -name target \) -prune \
      -o -type d -path './*/*' -print 2>/dev/null | first 60
  else
    for entry in */*/; do printf './%s\n' "$entry"; done | first 60
  fi
}

makefile() {
  local line
  [[ -f Makefile ]] || return
  while IFS= read -r line; do
    [[ $line =~ ^[A-Za-z0-9_.-]+: ]] && printf '%s\n' "${BASH_REMATCH[0]%:}"
  done < <(first 2000 <Makefile) | first 30
}

sections=(language project package_managers runtimes git_state test_command files tree makefile)

show() { # show SECTION OUTPUT
  if [[ -n $2 ]]; then printf '## %s\n%s\n' "${1//_/ }" "$2"; fi
}

folder=${1:-}
if [[ $folder == --in-turn ]]; then
  folder=""
elif [[ -z $folder ]] && have mktemp; then
  folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
fi
if [[ -z $folder ]]; then
  for section in "${sections[@]}"; do show "$section" "$("$section" 2>/dev/null)"; done
  exit 0
fi
for section in "${sections[@]}"; do
  "$section" >"$folder/$section" 2>"$folder/$section.errors" </dev/null &
done
wait
for section in "${sections[@]}"; do show "$section" "$(<"$folder/$section")"; done
exit 0
