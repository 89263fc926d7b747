# A class with a main method.
# Needs: java
git init -q -b main
mkdir -p src
echo 'public class Hello { public static void main(String[] words) { System.out.println("hello " + (words.length > 0 ? words[0] : "java")); } }' > src/Hello.java
git add . && git commit -qm 'Hello'
